/// The parts of a document that is a zip archive, by libzip.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "ingle/result.h"

struct zip;

namespace ingle::documents {

inline constexpr std::string_view kZipBeginning = "PK\x03\x04";

class ZipArchive {
  public:
    /// `bytes` and `format` (for sentences) must outlive it. Errors: Damaged.
    static Result<ZipArchive> open(std::string_view bytes, std::string_view format);

    bool has(const std::string& part) const;
    /// Unpacks one part. Errors: Damaged (there is none, or its checksum is wrong), Encrypted, Bomb.
    Result<std::string> read(const std::string& part) const;

  private:
    ZipArchive(zip* archive, std::string_view format);

    struct Discard {
        void operator()(zip* archive) const;
    };
    std::unique_ptr<zip, Discard> m_archive;
    std::string_view m_format;
};

}  // namespace ingle::documents
