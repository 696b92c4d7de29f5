-- What was asked and answered in a conversation, as it was written: what a search found is shown with the text around
-- it. Each character is at the place that it has in words; of earlier conversations only the words are known.
ALTER TABLE conversation_text ADD COLUMN said TEXT NOT NULL DEFAULT '';
UPDATE conversation_text SET said = words;
