"""Scripts of the repository: code metrics and the figure of the architecture."""
