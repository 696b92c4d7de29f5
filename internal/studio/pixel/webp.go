package pixel

import _ "golang.org/x/image/webp" // whoever works on pictures reads WebP with image.Decode
