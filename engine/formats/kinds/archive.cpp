// Archives are not unpacked: what they hold may be of any size. One of PyTorch packs nothing and is read;
// those that word processors write may be documents. Sources: PKWARE's APPNOTE.TXT; RFC 1952; POSIX ustar;
// the 7-Zip, xz, zstd, bzip2 and RAR signatures.
#include "engine/formats/kind.h"

namespace ingle::formats::archive_kind {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kMagics[] = {"PK\5\6"sv,
                                        "\x1F\x8B"sv,
                                        "7z\xBC\xAF\x27\x1C"sv,
                                        "\xFD"
                                        "7zXZ\0"sv,
                                        "\x28\xB5\x2F\xFD"sv,
                                        "BZh"sv,
                                        "Rar!\x1A"sv};
constexpr std::string_view kTarMagic = "ustar";
constexpr size_t kTarOffset = 257;
constexpr std::string_view kZipMagic = "PK\3\4";
/// The directory of an archive stands at its end and names the pickle that PyTorch's have.
constexpr size_t kDirectoryLooked = size_t{4} << 20;

bool isZipOfOthers(const Sighting& sighting) {
    if (sighting.text(kZipMagic.size()) != kZipMagic) return false;
    const std::string_view all = sighting.text(sighting.bytes.size());
    const std::string_view begin = all.substr(0, 4096);
    const std::string_view end = all.substr(all.size() - std::min(all.size(), kDirectoryLooked));
    constexpr std::string_view kPickle = "data.pkl";
    // Of a download that was cut off only the beginning tells.
    return begin.find(kPickle) == begin.npos && end.find(kPickle) == end.npos;
}

std::optional<Error> refuse(const Sighting& sighting) {
    const std::string_view begin = sighting.text(kTarOffset + kTarMagic.size());
    const bool isMarked =
        std::ranges::any_of(kMagics, [&](std::string_view magic) { return begin.starts_with(magic); });
    const bool isTar = begin.size() > kTarOffset && begin.substr(kTarOffset) == kTarMagic;
    if (!isMarked && !isTar && !isZipOfOthers(sighting)) return std::nullopt;
    return refused<ErrorId::Archive>(sighting.source.path(),
                                     "an archive, which has to be unpacked; open what is in it then");
}

constexpr ErrorId kErrors[] = {ErrorId::Archive};

}  // namespace

extern const Kind kind{.name = "archive", .actions = kReadText, .refuse = refuse, .errors = kErrors};

}  // namespace ingle::formats::archive_kind
