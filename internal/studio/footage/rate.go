package footage

// FrameRate is that of every clip that is not made from another.
const FrameRate = 24
