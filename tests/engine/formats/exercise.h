/// What a damaged file is put through.
#pragma once

#include <string>
#include <vector>

#include "engine/formats/model_file.h"
#include "engine/tokenizer/tokenizer.h"
#include "ingle/result.h"

namespace ingle::test {

/// Opens the file, decodes a row of each tensor, and tokenizes a text and back.
inline Status exerciseFile(const std::string& path) {
    INGLE_TRY_ASSIGN(const auto model, formats::openModelFile(path));
    for (const auto& [name, tensor] : model.tensors) {
        std::vector<float> row(tensor.shape.rowElems());
        tensor.format->decodeRow(tensor.data.data(), row);
    }
    INGLE_TRY_ASSIGN(const auto tokenizer, tokenizer::createTokenizer(model.tokenizer));
    if (!tokenizer) return {};
    const tokenizer::TextSegment text{"and the <s> one\xFF \xC3\xA9", true};
    INGLE_TRY_ASSIGN(const auto ids, tokenizer->encode({&text, 1}, true));
    INGLE_TRY(tokenizer::decode(*tokenizer, ids));
    return {};
}

}  // namespace ingle::test
