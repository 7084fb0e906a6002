/// Pictures as documents of one page: a photograph or a screenshot of a text.
#include "app/documents/limits.h"
#include "app/documents/picture_kind.h"
#include "app/documents/readers/pictures/pixels.h"
#include "app/documents/readers/reader.h"
#include "app/documents/readers/scans/recogniser.h"
#include "app/documents/refusals.h"

namespace ingle::documents::picture_reader {
namespace {

constexpr std::string_view kFormat = "picture";
/// As of a page that was photographed: pictures rarely tell it, and cameras not at all.
constexpr int kLikelyDotsPerInch = 300;
/// Recognition takes about a second for a million.
constexpr size_t kMostDots = 20'000'000;

Match match(const Input& input) {
    const auto kind = pictureKindOf(input.bytes);
    return kind && *kind != PictureKind::Heif ? Match::ByContent : Match::No;
}

Result<Document> read(const Input&) {
    return refuse(Refusal::Scanned, kFormat);
}

/// Grey by the weights of ITU-R BT.601. A picture of too many dots is averaged over squares of them.
GreyPicture greyOf(const Picture& picture) {
    uint32_t side = 1;
    while (size_t{picture.width / side} * (picture.height / side) > kMostDots) ++side;
    GreyPicture grey{picture.width / side, picture.height / side, {}};
    grey.dots.reserve(size_t{grey.width} * grey.height);
    for (uint32_t y = 0; y < grey.height; ++y) {
        for (uint32_t x = 0; x < grey.width; ++x) {
            uint32_t sum = 0;
            for (uint32_t dot = 0; dot < side * side; ++dot) {
                const size_t line = size_t{y} * side + dot / side, column = size_t{x} * side + dot % side;
                const uint8_t* rgb = picture.rgb.data() + 3 * (line * picture.width + column);
                sum += (299U * rgb[0] + 587U * rgb[1] + 114U * rgb[2]) / 1000;
            }
            grey.dots.push_back(static_cast<uint8_t>(sum / (side * side)));
        }
    }
    return grey;
}

Result<RecognisedPage> pageOf(const Input& input, uint32_t number, PageWish wish) {
    RecognisedPage page{.numPages = 1, .text = {}};
    if (number != 1) return refuse(Refusal::Damaged, kFormat);
    if (input.bytes.size() > limits::kPictureBytes)
        return refuse(Refusal::TooLarge, std::to_string(limits::kPictureBytes >> 20));
    if (wish == PageWish::Picture) {
        page.picture = input.bytes;
        return page;
    }
    if (!canRecognise()) return refuse(Refusal::Scanned, kFormat);
    const Result<Picture> picture = decodePixels(input.bytes);
    if (!picture && picture.error().code == ErrorCode::Unsupported)
        return refuse(Refusal::TooLarge, std::to_string(limits::kPictureBytes >> 20));
    if (!picture) return refuse(Refusal::Damaged, kFormat);
    appendClean(page.text, recognisedText(greyOf(*picture), kLikelyDotsPerInch));
    page.text.resize(page.text.find_last_not_of(" \t\n") + 1);
    return page;
}

}  // namespace

extern const Reader reader{.format = kFormat, .match = match, .read = read, .page = pageOf};

}  // namespace ingle::documents::picture_reader
