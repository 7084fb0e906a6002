/// Bounds of what a document may be and of what reading it may take.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace ingle::documents::limits {

inline constexpr size_t kFileBytes = size_t{256} << 20;
/// Some four million tokens: more than any model has room for.
inline constexpr size_t kTextBytes = size_t{16} << 20;
inline constexpr size_t kPlaces = 50'000;
inline constexpr size_t kPages = 20'000;
inline constexpr size_t kWordsBytes = 300;  ///< of a title or a place; what is longer is cut

/// An archive's part: deflate makes at most 1032 bytes of one, and documents rarely 50.
inline constexpr uint64_t kPartBytes = uint64_t{128} << 20;
inline constexpr uint64_t kPartRatio = 200;
inline constexpr uint64_t kSmallPart = uint64_t{4} << 20;  ///< whose ratio does not matter

/// Of the process that reads.
inline constexpr uint64_t kMemory = uint64_t{1536} << 20;  ///< address space, in bytes
inline constexpr std::chrono::seconds kProcessorTime{10};
/// Of it, what readers have before they have to end with the text so far.
inline constexpr std::chrono::seconds kReadingTime{8};
inline constexpr std::chrono::seconds kPatience{120};
/// The same of one page whose text is recognised.
inline constexpr std::chrono::seconds kPageTime{60};
/// What it answers: a line that describes the document, and the text.
inline constexpr size_t kDescriptionBytes = size_t{32} << 20;
inline constexpr size_t kAnswerBytes = kDescriptionBytes + kTextBytes + 1;

/// Of a picture.
inline constexpr size_t kPictureBytes = size_t{64} << 20;
inline constexpr uint64_t kPicturePixels = 100'000'000;
inline constexpr size_t kPictureAnswerBytes = 3 * kPicturePixels + 4096;  ///< a line, and the pixels

/// Of a source folder.
inline constexpr size_t kFolderEntries = 200'000;  ///< looked at
inline constexpr size_t kFolderFiles = 10'000;     ///< read
inline constexpr size_t kFolderDepth = 40;
inline constexpr size_t kSourceBytes = size_t{1} << 20;  ///< of one file

}  // namespace ingle::documents::limits
