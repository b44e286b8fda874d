"""What reads docs/a-day.md and does what it says."""
