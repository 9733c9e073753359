"""The dispute desk as a service: cases, what it knows of tables, routes, and who may do what."""
