"""The currencies of ISO 4217, list one, and their exponents: the decimals of the smallest unit.

The table is the standard's own, as of 1 January 2026, and updated by hand when the standard
changes. A locale library knows how a currency is written, not what it is: it rounds the Iraqi
dinar, which has 3 decimals, to 0.
"""

from types import MappingProxyType

# Codes without a minor unit are left out, as no amount can be written in them: metals (XAU), bond
# units (XBA), units of account (XDR), and those for tests and for no currency (XTS, XXX).
_CODES = {
    0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
    2: """
        AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD
        CAD CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP
        GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK
        LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO
        NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS
        SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST
        XAD XCD XCG YER ZAR ZMW ZWG
    """,
    3: "BHD IQD JOD KWD LYD OMR TND",
    4: "CLF UYW",
}
EXPONENTS = MappingProxyType(
    {code: exponent for exponent, codes in _CODES.items() for code in codes.split()}
)

# No longer in the standard, but accepted here once: such money can be read, refunded and paid out.
WITHDRAWN = MappingProxyType({"BGN": 2})
