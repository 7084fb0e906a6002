#include "engine/formats/gguf_shards.h"
#include "ingle/error_ids.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace ingle::formats::gguf {
namespace {

/// What a part says about itself.
struct Place {
    uint32_t index = 0;  ///< from 0
    uint32_t count = 1;
};

/// A number of the split, with the part's path before the message of an error.
Result<uint32_t> splitNumber(const ModelFile& part, std::string_view key, std::optional<uint32_t> fallback) {
    const auto number = fallback ? part.metadata.u32Or(key, *fallback) : part.metadata.u32(key);
    if (!number) return happenedTo(part.path, number.error());
    return *number;
}

Result<Place> placeOf(const ModelFile& part) {
    Place place;
    INGLE_TRY_ASSIGN(place.count, splitNumber(part, "split.count", 1));
    if (place.count <= 1) return place;
    INGLE_TRY_ASSIGN(place.index, splitNumber(part, "split.no", std::nullopt));
    if (place.index >= place.count)
        return fail(ErrorCode::Corrupt, "{}: says it is part {} of {}", part.path, place.index + 1,
                    place.count);
    return place;
}

std::string suffixOf(Place place) {
    return fmt::format("-{:05}-of-{:05}.gguf", place.index + 1, place.count);
}

Result<ModelFile> openPart(const io::Source& beside, const std::string& name, Place place,
                           Result<ModelFile> (*readPart)(std::span<const std::byte>)) {
    const auto missing = [&](const Error& error) {
        return happenedTo(
            fmt::format("part {} of {} of the model cannot be opened", place.index + 1, place.count), error);
    };
    auto source = beside.sibling(name);
    if (!source) return missing(source.error());
    auto mapping = io::MappedFile::map(*source);
    if (!mapping) return missing(mapping.error());
    auto part = readPart((*mapping)->bytes());
    if (!part) return happenedTo(source->path(), part.error());
    part->path = source->path();
    part->sources.push_back(std::move(*source));
    part->mappings.push_back(std::move(*mapping));
    INGLE_TRY_ASSIGN(const Place own, placeOf(*part));
    if (own.index != place.index || own.count != place.count)
        return fail(ErrorCode::Corrupt, "{}: says it is part {} of {}, its name part {} of {}", part->path,
                    own.index + 1, own.count, place.index + 1, place.count);
    return part;
}

/// The error of a part that is not there says how many are not.
Error withCount(Error error, const io::Source& beside, const std::string& prefix, uint32_t count) {
    if (errorIdOf(error) != ErrorId::FileMissing) return error;
    uint32_t numMissing = 0;
    for (uint32_t index = 0; index < count; ++index) {
        const auto part = beside.findSibling(prefix + suffixOf({.index = index, .count = count}));
        numMissing += part && !*part;
    }
    return withId<ErrorId::PartsMissing>(std::move(error), beside.path(), numMissing, count);
}

/// Moves the tensors and files of `part` to `whole`.
Status append(ModelFile& whole, ModelFile part) {
    for (auto& [name, tensor] : part.tensors) {
        if (!whole.tensors.try_emplace(name, std::move(tensor)).second)
            return fail(ErrorCode::Corrupt, "{}: tensor '{}' is in another part of the model as well",
                        part.path, shown(name));
    }
    std::ranges::move(part.sources, std::back_inserter(whole.sources));
    std::ranges::move(part.mappings, std::back_inserter(whole.mappings));
    return {};
}

}  // namespace

Status joinShards(ModelFile& model, const io::Source& source,
                  Result<ModelFile> (*readPart)(std::span<const std::byte> file)) {
    INGLE_TRY_ASSIGN(const Place own, placeOf(model));
    if (own.count <= 1) return {};
    const std::string path = model.path;
    const std::string name = source.name();
    if (!name.ends_with(suffixOf(own)))
        return fail(ErrorCode::Corrupt, "{}: part {} of {} of a split model; its name should end in {}", path,
                    own.index + 1, own.count, suffixOf(own));
    const std::string prefix = name.substr(0, name.size() - suffixOf(own).size());

    std::vector<ModelFile> parts;
    const auto openParts = [&](uint32_t begin, uint32_t end) -> Status {
        for (uint32_t index = begin; index < end; ++index) {
            const Place place{.index = index, .count = own.count};
            auto part = openPart(source, prefix + suffixOf(place), place, readPart);
            if (!part) return tl::unexpected(withCount(std::move(part).error(), source, prefix, own.count));
            parts.push_back(*std::move(part));
        }
        return {};
    };
    INGLE_TRY(openParts(0, own.index));
    parts.push_back(std::move(model));
    INGLE_TRY(openParts(own.index + 1, own.count));

    ModelFile whole = std::move(parts.front());
    for (ModelFile& part : std::span(parts).subspan(1)) INGLE_TRY(append(whole, std::move(part)));
    whole.path = path;
    INGLE_TRY_ASSIGN(const uint32_t numTensors,
                     splitNumber(whole, "split.tensors.count", static_cast<uint32_t>(whole.tensors.size())));
    if (numTensors != whole.tensors.size())
        return fail(ErrorCode::Corrupt, "{}: the parts hold {} tensors, {} are announced", path,
                    whole.tensors.size(), numTensors);
    if (!whole.metadata.find("general.architecture"))
        return fail(ErrorCode::Corrupt, "{}: the first part names no architecture", path);
    model = std::move(whole);
    return {};
}

}  // namespace ingle::formats::gguf
