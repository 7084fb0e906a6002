/// preprocessor_config.json: what it says of pixels is obeyed, or refused by name. In transformers null is
/// there what an absent key is: what the class of the preprocessor has.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "engine/formats/checkpoint/architecture.h"

namespace ingle::formats {

/// A truth value; `usual` where it is absent or null. Errors: Corrupt.
Result<bool> pixelFlag(const Config& pixels, std::string_view key, bool usual);

/// That pictures are resized, and with the filter that the family has. Errors: Unsupported.
Status expectResizing(const Config& pixels, const VisionPart& part);

/// That `key` is stated in no other forms than these: key.form, or for "" a plain number; each must be `side`
/// if that is given. Errors: Unsupported.
Status expectForms(const Config& pixels, std::string_view key, std::span<const std::string_view> forms,
                   std::optional<uint32_t> side = std::nullopt);

/// A height and a width, or one number for both.
inline constexpr std::string_view kSquareForms[] = {"height", "width", ""};
inline constexpr std::string_view kNumberForms[] = {""};
inline constexpr std::string_view kLongestForms[] = {"longest_edge"};

/// Sets image_mean and image_std, of pixels from 0 to 1, so that they hold what do_rescale, rescale_factor
/// and do_normalize say, too. Errors: Corrupt.
Status setNormalisation(Translation& translation, const Config& pixels, const VisionPart& part);

}  // namespace ingle::formats
