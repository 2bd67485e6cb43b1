"""What experiments of several topics share: films and their panels."""
