-- A pause that the provider asked for itself; a person may ask through one of our own making, never through this.
ALTER TABLE provider_pace ADD COLUMN asked_until timestamptz;

-- When the last look that was believed began: what opened after that moment it cannot have seen.
ALTER TABLE watch ADD COLUMN looked_at timestamptz;
UPDATE watch SET looked_at = last_good_at;

-- Since when more records than before are unreadable.
ALTER TABLE watch_state ADD COLUMN nameless_since timestamptz;

-- This watch no longer sees the slot, and another one still does.
ALTER TABLE watch_slot ADD COLUMN elsewhere boolean NOT NULL DEFAULT false;
