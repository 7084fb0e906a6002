// Filters over lists, dicts and generators. Source: Jinja's documentation, "List of Builtin Filters"; which
// of them give generators (that can be used once, and have no length) follows jinja2.
#include <algorithm>

#include "engine/chat/jinja/builtins.h"
#include "engine/chat/jinja/text_operations.h"

namespace ingle::chat::jinja {
namespace {

Result<Value> length(const Call& call) {
    INGLE_TRY_ASSIGN(const int64_t count, call.in.length(call.self));
    return count;
}

Result<Value> defaultFilter(const Call& call) {
    const bool isMissing = call.self.isUndefined() || (flagArgument(call, 1, false) && !isTrue(call.self));
    if (!isMissing) return call.self;
    return call.arguments[0] ? *call.arguments[0] : makeText(Text());
}

Result<Value> list(const Call& call) {
    INGLE_TRY_ASSIGN(std::vector<Value> items, call.in.iterate(call.self));
    return makeList(std::move(items));
}

Result<Value> items(const Call& call) {
    if (call.self.isUndefined()) return makeGenerator({});
    if (!call.self.dict())
        return fail(ErrorCode::InvalidArgument, "'items' wants a dict, not '{}'", typeName(call.self));
    INGLE_TRY_ASSIGN(const Value view, callBuiltin(call.in, *findMethod(call.self, "items"), call.self, {}));
    return makeGenerator(view.list()->items);
}

Result<Value> first(const Call& call) {
    if (Generator* generator = call.self.generator()) {
        if (generator->next < generator->items.size()) return generator->items[generator->next++];
        return Value::undefined("there is no first item");
    }
    INGLE_TRY_ASSIGN(const std::vector<Value> values, call.in.iterate(call.self));
    return values.empty() ? Value::undefined("there is no first item") : values.front();
}

Result<Value> last(const Call& call) {
    if (call.self.generator())
        return fail(ErrorCode::InvalidArgument, "'generator' object is not reversible");
    INGLE_TRY_ASSIGN(const std::vector<Value> values, call.in.iterate(call.self));
    return values.empty() ? Value::undefined("there is no last item") : values.back();
}

/// An attribute of an attribute: "a.b.0".
Result<Value> attributePath(Interpreter& in, const Value& object, const Value& path) {
    const Text* names = path.text();
    if (!names) return in.item(object, path);
    INGLE_TRY(in.spend(names->size()));
    Value value = object;
    std::string_view rest = names->bytes();
    while (true) {
        const size_t dot = std::min(rest.find('.'), rest.size());
        const std::string_view name = rest.substr(0, dot);
        const bool isIndex =
            !name.empty() && name.size() < 10 && name.find_first_not_of("0123456789") == name.npos;
        const Value index =
            isIndex ? Value(int64_t{std::stol(std::string(name))}) : makeText(name, Origin::Template);
        INGLE_TRY_ASSIGN(value, in.item(value, index));
        if (dot == rest.size()) return value;
        rest.remove_prefix(dot + 1);
    }
}

/// What an element is compared by: an attribute of it (`fallback` where it has none and that is not null),
/// and text without regard to case unless asked.
Result<Value> sortKey(Interpreter& in, const Value& element, const Value* attribute, bool caseSensitive,
                      const Value* fallback = nullptr) {
    Value key = element;
    if (attribute && !attribute->isNone()) {
        INGLE_TRY_ASSIGN(key, attributePath(in, element, *attribute));
    }
    if (key.isUndefined() && fallback) key = *fallback;
    if (!key.text() || caseSensitive) return key;
    INGLE_TRY_ASSIGN(Text lower, withCase(in, *key.text(), Case::Lower));
    return makeText(std::move(lower));
}

struct Keyed {
    Value key, value;
};

Result<std::vector<Keyed>> withKeys(const Call& call, const Value* attribute, bool caseSensitive,
                                    const Value* fallback = nullptr) {
    INGLE_TRY_ASSIGN(std::vector<Value> values, call.in.iterate(call.self));
    std::vector<Keyed> out;
    for (Value& value : values) {
        INGLE_TRY_ASSIGN(Value key, sortKey(call.in, value, attribute, caseSensitive, fallback));
        out.push_back({std::move(key), std::move(value)});
    }
    return out;
}

/// A stable merge sort: unlike the library's, its comparison may fail.
Status mergeSort(Interpreter& in, std::span<Keyed> values, bool descending) {
    if (values.size() < 2) return {};
    const size_t middle = values.size() / 2;
    INGLE_TRY(mergeSort(in, values.first(middle), descending));
    INGLE_TRY(mergeSort(in, values.subspan(middle), descending));
    std::vector<Keyed> merged;
    size_t left = 0;
    size_t right = middle;
    while (left < middle && right < values.size()) {
        const Value& a = values[left].key;
        const Value& b = values[right].key;
        INGLE_TRY_ASSIGN(const bool rightFirst, descending ? in.less(a, b) : in.less(b, a));
        merged.push_back(std::move(values[rightFirst ? right++ : left++]));
    }
    while (left < middle) merged.push_back(std::move(values[left++]));
    while (right < values.size()) merged.push_back(std::move(values[right++]));
    std::ranges::move(merged, values.begin());
    return {};
}

Result<Value> listOfValues(std::vector<Keyed> values) {
    std::vector<Value> out;
    out.reserve(values.size());
    for (Keyed& each : values) out.push_back(std::move(each.value));
    return makeList(std::move(out));
}

Result<Value> sort(const Call& call) {
    const Text* attributes = call.arguments[2] ? call.arguments[2]->text() : nullptr;
    const bool isCaseSensitive = flagArgument(call, 1, false);
    if (!attributes || attributes->bytes().find(',') == std::string_view::npos) {
        INGLE_TRY_ASSIGN(std::vector<Keyed> values, withKeys(call, call.arguments[2], isCaseSensitive));
        INGLE_TRY(mergeSort(call.in, values, flagArgument(call, 0, false)));
        return listOfValues(std::move(values));
    }
    const Text comma(",", Origin::Template);
    INGLE_TRY_ASSIGN(const Value names, split(call.in, *attributes, &comma, -1, Side::Left));
    INGLE_TRY_ASSIGN(std::vector<Keyed> values, withKeys(call, nullptr, true));
    for (Keyed& each : values) {
        std::vector<Value> keys;
        for (const Value& name : names.list()->items) {
            INGLE_TRY(call.in.spend(sizeof(Value)));
            INGLE_TRY_ASSIGN(Value key, sortKey(call.in, each.value, &name, isCaseSensitive));
            keys.push_back(std::move(key));
        }
        INGLE_TRY_ASSIGN(each.key, makeList(std::move(keys)));
    }
    INGLE_TRY(mergeSort(call.in, values, flagArgument(call, 0, false)));
    return listOfValues(std::move(values));
}

Result<Value> dictsort(const Call& call) {
    const Dict* dict = call.self.dict();
    if (!dict)
        return fail(ErrorCode::InvalidArgument, "'dictsort' wants a dict, not '{}'", typeName(call.self));
    INGLE_TRY_ASSIGN(const Text* by, textArgument(call, 1));
    const bool byValue = by && by->bytes() == "value";
    std::vector<Keyed> values;
    for (const auto& [key, value] : dict->entries) {
        INGLE_TRY(call.in.spend(4 * sizeof(Value)));
        INGLE_TRY_ASSIGN(Value sortedBy,
                         sortKey(call.in, byValue ? value : key, nullptr, flagArgument(call, 0, false)));
        INGLE_TRY_ASSIGN(Value pair, makeList({key, value}, List::Kind::Tuple));
        values.push_back({std::move(sortedBy), std::move(pair)});
    }
    INGLE_TRY(mergeSort(call.in, values, flagArgument(call, 2, false)));
    return listOfValues(std::move(values));
}

Result<Value> unique(const Call& call) {
    INGLE_TRY_ASSIGN(std::vector<Keyed> values,
                     withKeys(call, call.arguments[1], flagArgument(call, 0, false)));
    std::vector<Value> keys;
    std::vector<Value> out;
    for (Keyed& each : values) {
        bool isKnown = false;
        for (size_t i = 0; i < keys.size() && !isKnown; ++i) {
            INGLE_TRY_ASSIGN(isKnown, call.in.equal(keys[i], each.key));
        }
        if (isKnown) continue;
        keys.push_back(std::move(each.key));
        out.push_back(std::move(each.value));
    }
    return makeGenerator(std::move(out));
}

enum class Extreme { Least, Greatest };

template <Extreme wanted>
Result<Value> extreme(const Call& call) {
    INGLE_TRY_ASSIGN(std::vector<Keyed> values,
                     withKeys(call, call.arguments[1], flagArgument(call, 0, false)));
    if (values.empty()) return Value::undefined("there is no item");
    size_t best = 0;
    for (size_t i = 1; i < values.size(); ++i) {
        const Value& a = values[i].key;
        const Value& b = values[best].key;
        INGLE_TRY_ASSIGN(const bool isBetter,
                         wanted == Extreme::Least ? call.in.less(a, b) : call.in.less(b, a));
        if (isBetter) best = i;
    }
    return values[best].value;
}

Result<Value> sum(const Call& call) {
    INGLE_TRY_ASSIGN(const std::vector<Keyed> values, withKeys(call, call.arguments[0], true));
    Value total = call.arguments[1] ? *call.arguments[1] : Value(int64_t{0});
    for (const Keyed& each : values) {
        INGLE_TRY_ASSIGN(total, add(call.in, total, each.key));
    }
    return total;
}

Result<Value> reverse(const Call& call) {
    INGLE_TRY_ASSIGN(std::vector<Value> values, call.in.iterate(call.self));
    std::ranges::reverse(values);
    if (!call.self.text()) return makeGenerator(std::move(values));
    INGLE_TRY_ASSIGN(Text text, join(call.in, Text(), values));
    return makeText(std::move(text));
}

Result<Value> joinFilter(const Call& call) {
    INGLE_TRY_ASSIGN(const std::vector<Keyed> values, withKeys(call, call.arguments[1], true));
    std::vector<Value> parts;
    parts.reserve(values.size());
    for (const Keyed& each : values) parts.push_back(each.key);
    Text separator;
    if (call.arguments[0]) {
        INGLE_TRY_ASSIGN(separator, call.in.str(*call.arguments[0]));
    }
    INGLE_TRY_ASSIGN(Text text, join(call.in, separator, parts));
    return makeText(std::move(text));
}

Result<Value> batch(const Call& call) {
    INGLE_TRY_ASSIGN(const auto size, integerArgument(call, 0));
    if (!size || *size < 1) return fail(ErrorCode::InvalidArgument, "'batch' wants a number above 0");
    INGLE_TRY_ASSIGN(const std::vector<Value> values, call.in.iterate(call.self));
    std::vector<Value> batches;
    for (size_t at = 0; at < values.size(); at += static_cast<size_t>(*size)) {
        const size_t end = std::min(at + static_cast<size_t>(*size), values.size());
        std::vector<Value> part(values.begin() + static_cast<ptrdiff_t>(at),
                                values.begin() + static_cast<ptrdiff_t>(end));
        while (call.arguments[1] && part.size() < static_cast<size_t>(*size)) {
            INGLE_TRY(call.in.spend(sizeof(Value)));
            part.push_back(*call.arguments[1]);
        }
        INGLE_TRY_ASSIGN(Value row, makeList(std::move(part)));
        batches.push_back(std::move(row));
    }
    return makeGenerator(std::move(batches));
}

/// That many lists, the first ones of which have one element more where they cannot be alike.
Result<Value> slice(const Call& call) {
    INGLE_TRY_ASSIGN(const auto count, integerArgument(call, 0));
    if (!count || *count < 1) return fail(ErrorCode::InvalidArgument, "'slice' wants a number above 0");
    INGLE_TRY_ASSIGN(const std::vector<Value> values, call.in.iterate(call.self));
    const auto numSlices = static_cast<size_t>(*count);
    const size_t numLonger = values.size() % numSlices;
    std::vector<Value> slices;
    auto begin = values.begin();
    for (size_t i = 0; i < numSlices; ++i) {
        INGLE_TRY(call.in.spend(sizeof(Value) + sizeof(List)));
        const auto end = begin + static_cast<ptrdiff_t>(values.size() / numSlices + (i < numLonger ? 1 : 0));
        std::vector<Value> part(begin, end);
        if (call.arguments[1] && !call.arguments[1]->isNone() && i >= numLonger)
            part.push_back(*call.arguments[1]);
        INGLE_TRY_ASSIGN(Value row, makeList(std::move(part)));
        slices.push_back(std::move(row));
        begin = end;
    }
    return makeGenerator(std::move(slices));
}

/// Pairs of an attribute's value and the elements that have it, in the order of the values.
Result<Value> groupby(const Call& call) {
    const Value* fallback = call.arguments[1] && !call.arguments[1]->isNone() ? call.arguments[1] : nullptr;
    INGLE_TRY_ASSIGN(std::vector<Keyed> values,
                     withKeys(call, call.arguments[0], flagArgument(call, 2, false), fallback));
    INGLE_TRY(mergeSort(call.in, values, false));
    std::vector<Value> groups;
    for (size_t begin = 0, end = 0; begin < values.size(); begin = end) {
        std::vector<Value> group;
        for (bool same = true; same; ++end) {
            group.push_back(values[end].value);
            if (end + 1 == values.size()) {
                same = false;
            } else {
                INGLE_TRY_ASSIGN(same, call.in.equal(values[begin].key, values[end + 1].key));
            }
        }
        INGLE_TRY_ASSIGN(Value grouper,
                         sortKey(call.in, values[begin].value, call.arguments[0], true, fallback));
        INGLE_TRY_ASSIGN(Value list, makeList(std::move(group)));
        INGLE_TRY_ASSIGN(Value pair, makeList({std::move(grouper), std::move(list)}, List::Kind::Group));
        groups.push_back(std::move(pair));
    }
    return makeList(std::move(groups));
}

/// One element. A prompt that is rendered again is the same one, so the time chooses.
Result<Value> random(const Call& call) {
    INGLE_TRY_ASSIGN(const std::vector<Value> values, call.in.iterate(call.self));
    if (values.empty()) return Value::undefined("there is no random item");
    const std::tm& now = call.in.now();
    return values[static_cast<size_t>(now.tm_yday * 24 + now.tm_hour) % values.size()];
}

Result<Value> attr(const Call& call) {
    INGLE_TRY_ASSIGN(const Text* name, textArgument(call, 0));
    if (!name || call.self.dict()) return Value::undefined("there is no such attribute");
    return call.in.attribute(call.self, name->bytes());
}

/// The arguments behind the first `skipped`, for a filter or test that is named by an argument.
Arguments restOf(const Arguments& all, size_t skipped) {
    Arguments rest;
    for (size_t i = skipped; i < all.positional.size(); ++i) rest.positional.push_back(all.positional[i]);
    rest.named = all.named;
    return rest;
}

/// Looks up what positional argument `index` names.
Result<const Builtin*> named(const Arguments& all, size_t index, const Builtin* (*find)(std::string_view),
                             std::string_view what) {
    const Text* name = all.positional[index].text();
    const Builtin* found = name ? find(name->bytes()) : nullptr;
    if (!found)
        return fail(ErrorCode::InvalidArgument, "there is no {} '{}'", what,
                    shown(name ? name->bytes() : std::string_view()));
    return found;
}

/// map(attribute=…, default=…) or map(filter, arguments…)
Result<Value> map(const Call& call) {
    if (!isTrue(call.self)) return makeGenerator({});  // also None, as in jinja2
    const auto namedArgument = [&](std::string_view name) -> const Value* {
        for (const auto& [each, value] : call.all.named)
            if (each == name) return &value;
        return nullptr;
    };
    const Value* attribute = namedArgument("attribute");
    const Value* fallback = namedArgument("default");
    if (!attribute && call.all.positional.empty())
        return fail(ErrorCode::InvalidArgument, "'map' wants a filter or an attribute");
    const Builtin* filter = nullptr;
    if (!attribute) {
        INGLE_TRY_ASSIGN(filter, named(call.all, 0, findFilter, "filter"));
    }
    const Arguments rest = attribute ? Arguments{} : restOf(call.all, 1);
    INGLE_TRY_ASSIGN(const std::vector<Value> values, call.in.iterate(call.self));
    std::vector<Value> out;
    for (const Value& value : values) {
        INGLE_TRY(call.in.spend(sizeof(Value)));
        INGLE_TRY_ASSIGN(Value mapped, attribute ? attributePath(call.in, value, *attribute)
                                                 : callBuiltin(call.in, *filter, value, rest));
        if (mapped.isUndefined() && fallback) mapped = *fallback;
        out.push_back(std::move(mapped));
    }
    return makeGenerator(std::move(out));
}

enum class Keep { Passing, Failing };

/// select, reject (hasAttribute false) and selectattr, rejectattr: the elements that pass a test, or not.
template <Keep keep, bool hasAttribute>
Result<Value> select(const Call& call) {
    if (!isTrue(call.self)) return makeGenerator({});  // also None, as in jinja2
    const size_t testIndex = hasAttribute ? 1 : 0;
    if (call.all.positional.size() < testIndex)
        return fail(ErrorCode::InvalidArgument, "an attribute is missing");
    const Builtin* test = nullptr;
    if (call.all.positional.size() > testIndex) {
        INGLE_TRY_ASSIGN(test, named(call.all, testIndex, findTest, "test"));
    }
    const Arguments rest = restOf(call.all, testIndex + 1);
    INGLE_TRY_ASSIGN(const std::vector<Value> values, call.in.iterate(call.self));
    std::vector<Value> out;
    for (const Value& value : values) {
        INGLE_TRY(call.in.spend(sizeof(Value)));
        Value tested = value;
        if (hasAttribute) {
            INGLE_TRY_ASSIGN(tested, attributePath(call.in, value, call.all.positional[0]));
        }
        if (test) {
            INGLE_TRY_ASSIGN(tested, callBuiltin(call.in, *test, tested, rest));
        }
        if (isTrue(tested) == (keep == Keep::Passing)) out.push_back(value);
    }
    return makeGenerator(std::move(out));
}

constexpr Builtin kSequenceFilters[] = {
    {"length", length},
    {"count", length},
    {"default", defaultFilter, {"default_value", "boolean"}},
    {"d", defaultFilter, {"default_value", "boolean"}},
    {"list", list},
    {"items", items},
    {"first", first},
    {"last", last},
    {"sort", sort, {"reverse", "case_sensitive", "attribute"}},
    {"dictsort", dictsort, {"case_sensitive", "by", "reverse"}},
    {"unique", unique, {"case_sensitive", "attribute"}},
    {"min", extreme<Extreme::Least>, {"case_sensitive", "attribute"}},
    {"max", extreme<Extreme::Greatest>, {"case_sensitive", "attribute"}},
    {"sum", sum, {"attribute", "start"}},
    {"reverse", reverse},
    {"join", joinFilter, {"d", "attribute"}},
    {"batch", batch, {"linecount", "fill_with"}, 1},
    {"slice", slice, {"slices", "fill_with"}, 1},
    {"groupby", groupby, {"attribute", "default", "case_sensitive"}, 1},
    {"random", random},
    {"attr", attr, {"name"}, 1},
    {"map", map, {}, 0, true},
    {"select", select<Keep::Passing, false>, {}, 0, true},
    {"reject", select<Keep::Failing, false>, {}, 0, true},
    {"selectattr", select<Keep::Passing, true>, {}, 0, true},
    {"rejectattr", select<Keep::Failing, true>, {}, 0, true},
};

}  // namespace

std::span<const Builtin> sequenceFilters() {
    return kSequenceFilters;
}

}  // namespace ingle::chat::jinja
