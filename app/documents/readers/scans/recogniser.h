/// Text recognition (OCR) by Tesseract, where it is installed: its library is opened while the program runs,
/// so that whoever does not need it need not have it. Packages: libtesseract5 and tesseract-ocr-<language>.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ingle::documents {

/// Grey, a byte for each dot, row by row.
struct GreyPicture {
    uint32_t width = 0, height = 0;
    std::vector<uint8_t> dots;
};

/// Opens the library and the languages that are installed, English first and at most four. Call before the
/// lock.
void prepareRecognition();

/// Whether that was possible.
bool canRecognise();

/// The text in a picture of so many dots an inch, with an empty line between paragraphs; empty: none was
/// found, or it cannot be recognised.
std::string recognisedText(const GreyPicture& picture, int dotsPerInch);

}  // namespace ingle::documents
