"""Where a recognizer looks: regions of the face, by method and by group, and the pictures of it."""
