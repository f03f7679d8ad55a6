UPDATE wanted SET status = 'stopped', stopped_at = %(now)s WHERE request_id = %(request_id)s AND status = 'watched';
