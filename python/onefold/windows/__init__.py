"""Rolling and expanding windows, and scans."""
