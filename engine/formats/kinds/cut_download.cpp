// What arrived in part: files that are shorter than their header says, and those whose name or whose
// companion says that a browser still writes them.
#include "engine/formats/file_reader.h"
#include "engine/formats/kind.h"
#include "ingle/size_text.h"

namespace ingle::formats::cut_download_kind {
namespace {

constexpr std::string_view kEndings[] = {".part",       ".crdownload", ".download", ".partial",
                                         ".incomplete", ".opdownload", ".aria2",    ".!ut"};

bool isCompanion(const io::Source& source, std::string_view ending) {
    const auto found = source.findSibling(source.name() + std::string(ending));
    return found && *found;
}

/// How much of it there is, where its header says how much there should be.
std::optional<Error> shareOf(const Sighting& sighting) {
    for (const FileReader* reader : allReaders()) {
        if (!reader->read || reader->probe(sighting.bytes) != Match::Magic) continue;
        const auto file = reader->read(sighting.bytes);
        if (!file && errorIdOf(file.error()) == ErrorId::DownloadIncomplete)
            return happenedTo(sighting.source.path(), file.error()).value();
    }
    return std::nullopt;
}

std::optional<Error> refuse(const Sighting& sighting) {
    if (sighting.source.isFolder()) return std::nullopt;
    const bool isNamed =
        std::ranges::any_of(kEndings, [&](std::string_view ending) { return sighting.endsIn(ending); });
    // Those of aria2 have their final name and size from the beginning.
    if (!isNamed && !isCompanion(sighting.source, ".aria2")) return std::nullopt;
    if (auto share = shareOf(sighting)) return share;
    return refused<ErrorId::DownloadUnfinished>(
        sighting.source.path(),
        "still being downloaded, or its download was stopped; open it once it is whole");
}

std::string words(const Error& error) {
    const auto size = [&](size_t index) { return sizeText(std::stoull(error.arguments[index])); };
    const auto id = errorIdOf(error);
    if (id == ErrorId::DownloadIncomplete) return fmt::format("only {} of {} arrived", size(0), size(1));
    if (id == ErrorId::DownloadCutShort) return fmt::format("its download was cut off after {}", size(0));
    return {};
}

constexpr ErrorId kErrors[] = {ErrorId::DownloadIncomplete, ErrorId::DownloadCutShort,
                               ErrorId::DownloadUnfinished, ErrorId::FileEmpty};

}  // namespace

extern const Kind kind{
    .name = "cutDownload", .actions = kGetInstead, .refuse = refuse, .errors = kErrors, .words = words};

}  // namespace ingle::formats::cut_download_kind
