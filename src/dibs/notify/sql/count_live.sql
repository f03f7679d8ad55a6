SELECT count(*) FROM subscription WHERE topic = %(topic)s AND status <> 'unsubscribed';
