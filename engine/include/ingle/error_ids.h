/// The ids of the errors that people see. For each id a program has a sentence in its reader's language, with
/// the error's arguments as the values in it. `Error::message` is the detailed sentence in English.
#pragma once

#include <algorithm>
#include <array>
#include <cerrno>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "ingle/result.h"

namespace ingle {

enum class ErrorId {
    FileMissing,
    FileForbidden,
    FileUnreadable,
    FileEmpty,
    NotAModel,
    FilePointer,
    WebPage,
    Archive,
    OtherFormat,
    Adapter,
    Projector,
    Companion,
    OtherPurpose,
    FileOutside,
    SeveralModels,
    WeightsAlone,
    PartsMissing,
    DownloadIncomplete,
    DownloadCutShort,
    DownloadUnfinished,
    ModelDamaged,
    ModelUnsupported,
    HoldsProgram,
    UnknownVersion,
    UnknownFamily,
    UnknownBlockType,
    UnknownTokenizer,
    NoTokenizer,
    OnlyEmbeds,
    OnlyScores,
    TooLittleMemory,
    TooLittleDeviceMemory,
    MemoryFull,
    DeviceFailed,
    ModelFileChanged,
    NoModel,
    MessageTooLong,
    ConversationFull,
    DraftUnfit,
    HostDied,
    HostMissing,
    HostOutdated,
    BridgeMissing,
    BridgeLost,
    BridgeOutdated,
    FarUnreachable,
    FarBroke,
    FarCannot,
    HistoryDamaged,
    HistoryNewer,
    HistoryNotWritable,
    HistoryNeedsRoom,
    HistoryUnavailable,
    ModelNeedsRoom,
    DiskFull,
    GrammarRefused,
    GrammarTooWide,
    PictureNeeded,
    CannotSee,
    VisionFileUnfit,
    PictureDamaged,
    PictureTooManyPixels,
    PictureTooLarge,
    PictureTooNarrow,
    PictureHeic,
    PictureAvif,
    PictureUnknown,
    PictureReaderFailed,
    Cancelled,
};

/// A row of the table of errors. An argument that is a size or a count is a whole number without separators,
/// and one that is a path is not shortened.
struct ErrorIdInfo {
    constexpr ErrorIdInfo(ErrorId theId, std::string_view theName,
                          std::initializer_list<std::string_view> meanings = {})
        : id(theId), name(theName) {
        for (const std::string_view meaning : meanings) arguments[numArguments++] = meaning;
    }

    ErrorId id;
    std::string_view name;                      ///< stable: the protocol and the history contain it
    std::array<std::string_view, 3> arguments;  ///< what each argument means
    size_t numArguments = 0;
};

inline constexpr std::array kErrorIds{
    ErrorIdInfo{ErrorId::FileMissing, "fileMissing", {"path"}},
    ErrorIdInfo{ErrorId::FileForbidden, "fileForbidden", {"path"}},
    ErrorIdInfo{ErrorId::FileUnreadable, "fileUnreadable", {"path"}},
    ErrorIdInfo{ErrorId::FileEmpty, "fileEmpty", {"path"}},
    ErrorIdInfo{ErrorId::NotAModel, "notAModel", {"path"}},
    ErrorIdInfo{ErrorId::FilePointer, "filePointer", {"path"}},  // Git LFS left it in place of the file
    ErrorIdInfo{ErrorId::WebPage, "webPage", {"path"}},
    ErrorIdInfo{ErrorId::Archive, "archive", {"path"}},
    ErrorIdInfo{ErrorId::OtherFormat, "otherFormat", {"path", "format"}},  // other programs read it
    ErrorIdInfo{ErrorId::Adapter, "adapter", {"path"}},
    ErrorIdInfo{ErrorId::Projector, "projector", {"path"}},
    ErrorIdInfo{
        ErrorId::Companion, "companion", {"path", "what"}},  // it goes with a model: see companion.cpp
    ErrorIdInfo{ErrorId::OtherPurpose, "otherPurpose", {"path", "what"}},  // it makes no text
    ErrorIdInfo{ErrorId::FileOutside, "fileOutside", {"path"}},            // a link or an index leads there
    ErrorIdInfo{ErrorId::SeveralModels, "severalModels", {"path", "models"}},
    ErrorIdInfo{ErrorId::WeightsAlone, "weightsAlone", {"path"}},
    ErrorIdInfo{ErrorId::PartsMissing, "partsMissing", {"path", "parts missing", "parts"}},
    ErrorIdInfo{ErrorId::DownloadIncomplete, "downloadIncomplete", {"bytes there are", "bytes of the whole"}},
    ErrorIdInfo{ErrorId::DownloadCutShort, "downloadCutShort", {"bytes there are"}},  // within the header
    ErrorIdInfo{ErrorId::DownloadUnfinished, "downloadUnfinished", {"path"}},         // its name says so
    ErrorIdInfo{ErrorId::ModelDamaged, "modelDamaged", {"path"}},
    ErrorIdInfo{ErrorId::ModelUnsupported, "modelUnsupported", {"path"}},
    ErrorIdInfo{ErrorId::HoldsProgram, "holdsProgram", {}},
    ErrorIdInfo{ErrorId::UnknownVersion, "unknownVersion", {"format", "version"}},
    ErrorIdInfo{ErrorId::UnknownFamily, "unknownFamily", {"family"}},
    ErrorIdInfo{ErrorId::UnknownBlockType, "unknownBlockType", {"type"}},
    ErrorIdInfo{ErrorId::UnknownTokenizer, "unknownTokenizer", {"tokenizer"}},
    ErrorIdInfo{ErrorId::NoTokenizer, "noTokenizer", {"path"}},
    ErrorIdInfo{ErrorId::OnlyEmbeds, "onlyEmbeds", {"path"}},
    ErrorIdInfo{ErrorId::OnlyScores, "onlyScores", {"path"}},
    ErrorIdInfo{ErrorId::TooLittleMemory, "tooLittleMemory", {"model", "bytes needed", "bytes free"}},
    ErrorIdInfo{
        ErrorId::TooLittleDeviceMemory, "tooLittleDeviceMemory", {"device", "bytes needed", "bytes free"}},
    ErrorIdInfo{ErrorId::MemoryFull, "memoryFull"},  // in the middle of a step
    ErrorIdInfo{ErrorId::DeviceFailed, "deviceFailed"},
    ErrorIdInfo{ErrorId::ModelFileChanged, "modelFileChanged"},
    ErrorIdInfo{ErrorId::NoModel, "noModel"},
    ErrorIdInfo{ErrorId::MessageTooLong, "messageTooLong", {"tokens needed", "tokens there is room for"}},
    ErrorIdInfo{ErrorId::ConversationFull, "conversationFull", {"tokens needed", "tokens there is room for"}},
    ErrorIdInfo{ErrorId::DraftUnfit, "draftUnfit", {"path"}},
    ErrorIdInfo{ErrorId::HostDied, "hostDied", {"request"}},  // the request's name in the protocol
    ErrorIdInfo{ErrorId::HostMissing, "hostMissing"},
    ErrorIdInfo{ErrorId::HostOutdated, "hostOutdated"},
    ErrorIdInfo{ErrorId::BridgeMissing, "bridgeMissing"},  // no bridge listens on the socket
    ErrorIdInfo{ErrorId::BridgeLost, "bridgeLost"},
    ErrorIdInfo{ErrorId::BridgeOutdated, "bridgeOutdated"},
    ErrorIdInfo{ErrorId::FarUnreachable, "farUnreachable", {"server"}},
    ErrorIdInfo{ErrorId::FarBroke, "farBroke", {"server"}},  // in the middle of an answer
    ErrorIdInfo{ErrorId::FarCannot, "farCannot"},            // only models on this computer can do this
    ErrorIdInfo{ErrorId::HistoryDamaged, "historyDamaged"},
    ErrorIdInfo{ErrorId::HistoryNewer, "historyNewer"},
    ErrorIdInfo{ErrorId::HistoryNotWritable, "historyNotWritable", {"path"}},
    ErrorIdInfo{ErrorId::HistoryNeedsRoom, "historyNeedsRoom", {"folder", "bytes needed", "bytes free"}},
    ErrorIdInfo{ErrorId::HistoryUnavailable, "historyUnavailable"},
    ErrorIdInfo{ErrorId::ModelNeedsRoom, "modelNeedsRoom", {"folder", "bytes needed", "bytes free"}},
    ErrorIdInfo{ErrorId::DiskFull, "diskFull"},
    ErrorIdInfo{ErrorId::GrammarRefused, "grammarRefused", {"why"}},  // a grammar or schema for an answer
    ErrorIdInfo{ErrorId::GrammarTooWide, "grammarTooWide"},  // it allows too many continuations at once
    ErrorIdInfo{ErrorId::PictureNeeded, "pictureNeeded", {"hash"}},  // it has to be sent first, or again
    ErrorIdInfo{ErrorId::CannotSee, "cannotSee", {"model"}},         // it has no vision file
    ErrorIdInfo{ErrorId::VisionFileUnfit, "visionFileUnfit", {"path"}},
    // The files of pictures: app/documents/picture_refusals.h.
    ErrorIdInfo{ErrorId::PictureDamaged, "pictureDamaged"},
    ErrorIdInfo{ErrorId::PictureTooManyPixels, "pictureTooManyPixels"},
    ErrorIdInfo{ErrorId::PictureTooLarge, "pictureTooLarge"},
    ErrorIdInfo{ErrorId::PictureTooNarrow, "pictureTooNarrow"},
    ErrorIdInfo{ErrorId::PictureHeic, "pictureHeic"},
    ErrorIdInfo{ErrorId::PictureAvif, "pictureAvif"},
    ErrorIdInfo{ErrorId::PictureUnknown, "pictureUnknown"},
    ErrorIdInfo{ErrorId::PictureReaderFailed, "pictureReaderFailed"},
    ErrorIdInfo{ErrorId::Cancelled, "cancelled"},
};
static_assert(
    [] {
        for (size_t i = 0; i < kErrorIds.size(); ++i)
            if (static_cast<size_t>(kErrorIds[i].id) != i) return false;
        return kErrorIds.size() == static_cast<size_t>(ErrorId::Cancelled) + 1;
    }(),
    "the table has a row for each id, in their order");

constexpr const ErrorIdInfo& errorIdInfo(ErrorId id) {
    return kErrorIds[static_cast<size_t>(id)];
}

/// Returns the id of an error. Returns nothing if this version does not know it, or knows it with another
/// number of arguments.
inline std::optional<ErrorId> errorIdOf(const Error& error) {
    const auto found = std::ranges::find(kErrorIds, std::string_view(error.id), &ErrorIdInfo::name);
    if (found == kErrorIds.end() || found->numArguments != error.arguments.size()) return std::nullopt;
    return found->id;
}

/// Gives an error its id: `return withId<ErrorId::FileMissing>(fail(ErrorCode::Io, "{}: …", path), path);`
/// Arguments that are texts are escaped.
template <ErrorId id, typename... Args>
[[nodiscard]] Error withId(Error error, const Args&... arguments) {
    static_assert(sizeof...(Args) == errorIdInfo(id).numArguments, "as the table says");
    error.id = errorIdInfo(id).name;
    error.arguments = {fmt::to_string(printable(arguments))...};
    return error;
}
template <ErrorId id, typename... Args>
[[nodiscard]] tl::unexpected<Error> withId(tl::unexpected<Error> error, const Args&... arguments) {
    return tl::unexpected<Error>(withId<id>(std::move(error).value(), arguments...));
}

/// Returns the same error with "what: " before its message.
[[nodiscard]] inline tl::unexpected<Error> happenedTo(std::string_view what, Error error) {
    error.message = fmt::format("{}: {}", escaped(what), escaped(error.message));
    return tl::unexpected<Error>(std::move(error));
}

/// Gives the error of a failed system call about a file the id that fits `number`, its errno.
[[nodiscard]] inline tl::unexpected<Error> withFileId(tl::unexpected<Error> error, int number,
                                                      const std::string& path) {
    if (number == ENOENT || number == ENOTDIR) return withId<ErrorId::FileMissing>(std::move(error), path);
    if (number == EACCES || number == EPERM) return withId<ErrorId::FileForbidden>(std::move(error), path);
    return withId<ErrorId::FileUnreadable>(std::move(error), path);
}

/// Gives an error without an id the one of its code, if that code means the same everywhere.
[[nodiscard]] inline Error withCodeId(Error error) {
    if (!error.id.empty()) return error;
    if (error.code == ErrorCode::OutOfMemory) return withId<ErrorId::MemoryFull>(std::move(error));
    if (error.code == ErrorCode::Device) return withId<ErrorId::DeviceFailed>(std::move(error));
    if (error.code == ErrorCode::Cancelled) return withId<ErrorId::Cancelled>(std::move(error));
    return error;
}

/// Does the same for an error about the model file at `path`.
[[nodiscard]] inline Error withModelId(Error error, const std::string& path) {
    if (error.id.empty() && error.code == ErrorCode::Corrupt)
        return withId<ErrorId::ModelDamaged>(std::move(error), path);
    if (error.id.empty() && error.code == ErrorCode::Unsupported)
        return withId<ErrorId::ModelUnsupported>(std::move(error), path);
    return withCodeId(std::move(error));
}

}  // namespace ingle
