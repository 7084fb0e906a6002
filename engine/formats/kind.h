/// What a file or a folder may be. One file per kind: engine/formats/kinds/<name>.cpp defines `extern const
/// Kind kind` in the namespace `<name>_kind`.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/formats/model_file.h"
#include "ingle/error_ids.h"
#include "ingle/recognition.h"

namespace ingle::formats {

/// Something before anybody has read it: its name and, of a file, its bytes, of which few should be touched.
struct Sighting {
    const io::Source& source;
    std::span<const std::byte> bytes;  ///< of a folder: none

    /// The first bytes, at most so many.
    std::string_view text(size_t most) const {
        return {reinterpret_cast<const char*>(bytes.data()), std::min(most, bytes.size())};
    }
    /// Whether the name ends so, in capitals or small letters.
    bool endsIn(std::string_view ending) const;
};

/// Each question may be null: nothing is of the kind by that.
struct Kind {
    std::string_view name;  ///< stable: it travels in the protocol
    std::span<const ModelAction> actions;
    /// Why it is not opened, if it is of this kind by its name and beginning. Asked before anybody reads it.
    /// Errors begin with the path.
    std::optional<Error> (*refuse)(const Sighting& sighting) = nullptr;
    /// The same for a file that was read and holds no model that could run.
    std::optional<Error> (*refuseRead)(const ModelFile& file) = nullptr;
    /// Whether a model is of this kind.
    bool (*isModel)(const ModelFile& file) = nullptr;
    /// Errors that say that something is of this kind.
    std::span<const ErrorId> errors = {};
    /// What people are told first of such an error, behind the path: "only 2.1 GB of 4.9 GB arrived". Empty:
    /// its own message begins so.
    std::string (*words)(const Error& error) = nullptr;
};

std::span<const Kind* const> allKinds();

inline constexpr ModelAction kGetInstead[] = {ModelAction::GetInstead};
inline constexpr ModelAction kReadText[] = {ModelAction::ReadText};

/// "path: sentence", with what else the error's sentences speak of.
template <ErrorId id, typename... More>
Error refused(const std::string& path, std::string_view sentence, const More&... more) {
    return withId<id>(Error{ErrorCode::Unsupported, fmt::format("{}: {}", escaped(path), sentence)}, path,
                      more...);
}

/// Why something is not to be read as a model; nothing: it may be one.
std::optional<Error> refusalOf(const Sighting& sighting);
/// The same of a file that was read.
std::optional<Error> refusalOf(const ModelFile& file);
/// The kind of a model.
const Kind& kindOf(const ModelFile& file);
/// The kind of what ended in this error.
const Kind& kindOf(const Error& error);
/// The error with its id, and with what people understand before all else, behind `path`.
Error inWords(Error error, const std::string& path);

}  // namespace ingle::formats
