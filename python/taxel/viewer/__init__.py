"""Pictures of contact."""
