#include "engine/grammar/schema_document.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <optional>

#include "engine/grammar/grammar.h"
#include "ingle/bounded_json.h"

namespace ingle::grammar {
namespace {

using Json = SchemaDocument::Json;

/// Keywords whose values are no schemas.
constexpr std::string_view kData[] = {"const", "enum", "default", "examples", "example"};

/// Values are copied and written out recursively.
constexpr JsonLimits kLimits{
    .depth = 4 * kMostNesting, .keys = 100'000, .keysOfObject = 4096, .values = 1'000'000};

/// A name as it stands in a pointer (RFC 6901).
std::string pointerName(std::string_view name) {
    std::string out;
    for (const char c : name) out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    return out;
}

std::string fromPointerName(std::string_view name) {
    std::string out;
    for (size_t at = 0; at < name.size(); ++at) {
        const bool isEscape = name[at] == '~' && at + 1 < name.size();
        if (!isEscape)
            out += name[at];
        else
            out += name[++at] == '1' ? '/' : '~';
    }
    return out;
}

/// %5B is [.
std::string percentDecoded(std::string_view text) {
    std::string out;
    for (size_t at = 0; at < text.size(); ++at) {
        unsigned value = 0;
        const char* end = text.data() + std::min(text.size(), at + 3);
        const bool isCode = text[at] == '%' && at + 2 < text.size() &&
                            std::from_chars(text.data() + at + 1, end, value, 16).ptr == end;
        out += isCode ? static_cast<char>(value) : text[at];
        if (isCode) at += 2;
    }
    return out;
}

/// Makes all references pointers from the root.
class References {
  public:
    References(Json& root, base::Meter& meter) : m_root(root), m_meter(meter) {}

    Status makeAbsolute() {
        INGLE_TRY(collect(m_root, "#", "#"));
        return rewrite(m_root, "#", "#");
    }

  private:
    /// A part with an id is a root of its own, where "#" points to.
    static std::string baseOf(const Json& json, const std::string& place, const std::string& base) {
        const auto id = json.find("$id");
        const bool isRoot =
            id != json.end() && id->is_string() && !id->get_ref<const std::string&>().starts_with('#');
        return isRoot ? place : base;
    }
    template <typename Part, typename Each>
    Status forEachPart(Part& json, const std::string& place, Each each) {
        INGLE_TRY(m_meter.spend(json.size() * (place.size() + 16)));
        if (json.is_object()) {
            for (auto part = json.begin(); part != json.end(); ++part)
                if (part->is_structured() && std::ranges::find(kData, part.key()) == std::end(kData))
                    INGLE_TRY(each(*part, fmt::format("{}/{}", place, pointerName(part.key()))));
        } else if (json.is_array()) {
            for (size_t index = 0; index < json.size(); ++index)
                if (json[index].is_structured())
                    INGLE_TRY(each(json[index], fmt::format("{}/{}", place, index)));
        }
        return {};
    }

    Status collect(const Json& json, const std::string& place, const std::string& outer) {
        std::string base = outer;
        if (json.is_object()) {
            base = baseOf(json, place, outer);
            if (base == place && json.contains("$id")) {
                INGLE_TRY(m_meter.spend(kKept * (sizeOf(json["$id"]) + place.size())));
                m_ids[withoutFragment(json["$id"])] = place;
            }
            if (const auto anchor = json.find("$anchor"); anchor != json.end() && anchor->is_string()) {
                INGLE_TRY(m_meter.spend(kKept * (sizeOf(*anchor) + base.size() + place.size())));
                m_anchors[fmt::format("{} {}", base, anchor->get<std::string>())] = place;
            }
        }
        return forEachPart(json, place,
                           [&](const Json& part, const std::string& at) { return collect(part, at, base); });
    }

    Status rewrite(Json& json, const std::string& place, const std::string& outer) {
        std::string base = outer;
        if (json.is_object()) {
            base = baseOf(json, place, outer);
            if (const auto given = json.find("$ref"); given != json.end() && given->is_string()) {
                const auto absolute = absoluteOf(given->get<std::string>(), base);
                INGLE_TRY(m_meter.spend(kKept * (sizeOf(*given) + (absolute ? absolute->size() : 0))));
                if (!absolute)
                    return fail(ErrorCode::InvalidArgument, "$ref {} points out of the schema at {} of it",
                                shown(given->get<std::string>()), shown(place));
                *given = *absolute;
            }
        }
        return forEachPart(json, place,
                           [&](Json& part, const std::string& at) { return rewrite(part, at, base); });
    }

    std::optional<std::string> absoluteOf(const std::string& reference, std::string base) const {
        const size_t fragment = reference.find('#');
        if (fragment != 0) {
            const auto id = m_ids.find(reference.substr(0, fragment));
            if (id == m_ids.end()) return std::nullopt;
            base = id->second;
        }
        if (fragment == reference.npos) return base;
        const std::string inner = percentDecoded(std::string_view(reference).substr(fragment + 1));
        if (inner.empty() || inner.starts_with('/')) return base + inner;
        const auto anchor = m_anchors.find(fmt::format("{} {}", base, inner));
        return anchor == m_anchors.end() ? std::nullopt : std::optional(anchor->second);
    }

    static std::string withoutFragment(const Json& id) {
        const auto text = id.get<std::string>();
        return text.substr(0, text.find('#'));
    }

    static constexpr size_t kKept = 16;  ///< SchemaDocument::spend()

    Json& m_root;
    base::Meter& m_meter;
    std::map<std::string, std::string> m_ids;      ///< to places
    std::map<std::string, std::string> m_anchors;  ///< "BASE NAME" to places
};

}  // namespace

size_t sizeOf(const Json& json) {
    if (json.is_string()) return 8 + json.get_ref<const std::string&>().size();
    size_t size = 8;
    for (auto part = json.begin(); json.is_structured() && part != json.end(); ++part)
        size += sizeOf(*part) + (json.is_object() ? part.key().size() : 0);
    return size;
}

Result<SchemaDocument> SchemaDocument::parse(std::string_view text) {
    if (text.size() > kMostTextBytes)
        return fail(ErrorCode::InvalidArgument, "the schema has more than {} bytes", kMostTextBytes);
    SchemaDocument document;
    document.m_root = parseBounded<Json>(text, kLimits);
    if (document.m_root.is_discarded())
        return fail(ErrorCode::InvalidArgument, "{}",
                    Json::accept(text) ? "the schema is nested too deeply, or has too many members"
                                       : "the schema is not JSON");
    INGLE_TRY(References(document.m_root, document.m_meter).makeAbsolute());
    return document;
}

const Json* SchemaDocument::at(std::string_view pointer) const {
    const Json* found = &m_root;
    pointer.remove_prefix(std::min<size_t>(pointer.size(), 1));
    while (!pointer.empty()) {
        pointer.remove_prefix(1);
        const size_t end = std::min(pointer.find('/'), pointer.size());
        const std::string name = fromPointerName(pointer.substr(0, end));
        pointer.remove_prefix(end);
        if (found->is_object()) {
            const auto member = found->find(name);
            if (member == found->end()) return nullptr;
            found = &*member;
        } else if (found->is_array()) {
            size_t index = 0;
            const auto read = std::from_chars(name.data(), name.data() + name.size(), index);
            if (read.ec != std::errc() || read.ptr != name.data() + name.size() || index >= found->size())
                return nullptr;
            found = &(*found)[index];
        } else {
            return nullptr;
        }
    }
    return found;
}

}  // namespace ingle::grammar
