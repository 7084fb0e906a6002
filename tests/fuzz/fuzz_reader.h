/// What every reader's fuzzer does with its input.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "engine/formats/file_reader.h"
#include "engine/tokenizer/tokenizer.h"

namespace ingle::test {

/// Reads `data` with the named reader, decodes a row of each tensor and uses the tokenizer.
inline void fuzzReader(std::string_view name, const uint8_t* data, size_t size) {
    const auto& reader = **std::ranges::find(formats::allReaders(), name, &formats::FileReader::name);
    const auto file = std::as_bytes(std::span(data, size));
    if (reader.probe(file) == formats::Match::No) return;
    const auto model = reader.read(file);
    if (!model) return;
    for (const auto& [tensorName, tensor] : model->tensors) {
        std::vector<float> row(tensor.shape.rowElems());
        tensor.decodeRow(0, row);
    }
    const auto tokenizer = tokenizer::createTokenizer(model->tokenizer);
    if (!tokenizer || !*tokenizer) return;
    const tokenizer::TextSegment text{"and the <s> one\xFF", true};
    if (const auto ids = (*tokenizer)->encode({&text, 1}, true))
        (void)tokenizer::decode(**tokenizer, *ids);  // any outcome but a crash will do
}

}  // namespace ingle::test
