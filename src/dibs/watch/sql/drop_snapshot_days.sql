SELECT drop_snapshot_days(%(before)s);
