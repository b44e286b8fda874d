from django.apps import AppConfig


class MessagesConfig(AppConfig):
    name = "messages"
    label = "messaging"  # Django's own messages, those of a page, have the label of the same name
