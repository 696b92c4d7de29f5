-- The application that asked for what was spent, as callers name it in
-- app_source. What was spent before was spent for nobody in particular.
ALTER TABLE ledger ADD COLUMN app TEXT NOT NULL DEFAULT '';
