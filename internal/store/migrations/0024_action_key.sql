-- Accounts record what they do with their keys and sessions, beside what operators do, and each says with which key.

ALTER TABLE operator_action ADD COLUMN key_id TEXT NOT NULL DEFAULT '';

-- How much an account has done on a day is asked with every change.
CREATE INDEX operator_action_day ON operator_action (wallet, at);
