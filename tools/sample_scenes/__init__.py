"""Parts of tools/build_sample_scenes.py: shapes, people, places, objects, light, labels."""
