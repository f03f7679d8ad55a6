-- Read after room was kept: whatever freed that room counted itself here in the same transaction.
SELECT changes FROM line_check WHERE check_key = %(line_key)s;
