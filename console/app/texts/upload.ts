import { choose } from "./choose";

export const text = choose({
  en: {
    unreadable: {
      image: (name: string) => `${name} is not a picture that can be read. Choose a PNG, JPEG, WebP or GIF.`,
      video: (name: string) => `${name} is not a video that can be read. Choose an MP4, MOV or WebM.`,
      audio: (name: string) => `${name} is not a sound that can be read. Choose an M4A, MP3, FLAC or WAV.`,
    },
    notStored: (name: string, reason: string) => `${name} could not be stored: ${reason}`,
  },
});
