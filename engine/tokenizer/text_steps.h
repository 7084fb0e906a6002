/// Forms that vocabularies ask for before text is cut.
#pragma once

#include <span>
#include <string>

#include "engine/formats/model_file.h"

namespace ingle::tokenizer {

/// `text` after the steps, one after the other. Bytes that are no UTF-8 stay, and nothing combines across
/// them, nor across 256 marks in a row. Any thread; O(bytes) for each step.
std::string withTextSteps(std::string text, std::span<const formats::TextStep> steps);

}  // namespace ingle::tokenizer
