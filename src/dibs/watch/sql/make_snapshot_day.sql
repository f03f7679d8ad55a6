SELECT make_snapshot_day(%(day)s);
