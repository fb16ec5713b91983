"""Pictures of what a viewer may see."""
