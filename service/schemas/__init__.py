"""The edge of HTTP: what bodies must look like, and what answers look like."""
