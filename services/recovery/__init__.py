"""What one does when the record was damaged: compare its copies, and restore the stream from them."""
