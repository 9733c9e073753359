"""What several tests share: real servers, started when asked for."""
