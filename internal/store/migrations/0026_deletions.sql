-- How many artifacts of a day were deleted. It only grows, so that a reader sees that some
-- were, whatever was made meanwhile.
ALTER TABLE library_day ADD COLUMN deleted BIGINT NOT NULL DEFAULT 0;
