#include "engine/formats/kind.h"

#include <algorithm>

namespace ingle::formats {
namespace {

/// A row that says nothing of its own answers for what no other does.
template <typename Fits>
const Kind& findKind(Fits fits, std::string_view otherwise) {
    const auto found = std::ranges::find_if(allKinds(), [&](const Kind* kind) { return fits(*kind); });
    if (found != allKinds().end()) return **found;
    return **std::ranges::find(allKinds(), otherwise, &Kind::name);
}

}  // namespace

bool Sighting::endsIn(std::string_view ending) const {
    const std::string name = source.name();
    if (name.size() <= ending.size()) return false;
    const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 'a' - 'A') : c; };
    return std::ranges::equal(std::string_view(name).substr(name.size() - ending.size()), ending, {}, small);
}

std::optional<Error> refusalOf(const Sighting& sighting) {
    for (const Kind* kind : allKinds())
        if (kind->refuse)
            if (auto refusal = kind->refuse(sighting)) return refusal;
    return std::nullopt;
}

std::optional<Error> refusalOf(const ModelFile& file) {
    for (const Kind* kind : allKinds())
        if (kind->refuseRead)
            if (auto refusal = kind->refuseRead(file)) return refusal;
    return std::nullopt;
}

const Kind& kindOf(const ModelFile& file) {
    return findKind([&](const Kind& kind) { return kind.isModel && kind.isModel(file); }, "quantised");
}

const Kind& kindOf(const Error& error) {
    const auto id = errorIdOf(error);
    return findKind(
        [&](const Kind& kind) { return id && std::ranges::find(kind.errors, *id) != kind.errors.end(); },
        "unknown");
}

Error inWords(Error error, const std::string& path) {
    error = withModelId(std::move(error), path);
    const Kind& kind = kindOf(error);
    const std::string words = kind.words ? kind.words(error) : std::string();
    if (words.empty()) return error;
    std::string_view rest = error.message;
    const std::string subject = path + ": ";
    if (rest.starts_with(subject)) rest.remove_prefix(subject.size());
    error.message = fmt::format("{}{}: {}", subject, words, rest);
    return error;
}

}  // namespace ingle::formats
