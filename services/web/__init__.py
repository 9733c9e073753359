"""The pages: what people see of tables in a browser."""
