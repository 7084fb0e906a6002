/// Logits of a prompt with pictures: what the rows of a vision file do in a text model.
#include <algorithm>
#include <numeric>

#include "engine/session/conversations/step_rows.h"
#include "ingle/pictures.h"

namespace ingle {
namespace {

/// Pictures that are encoded already, by their numbers.
class EncodedPictures final : public session::KnownPictures {
  public:
    explicit EncodedPictures(std::span<const EncodedPicture> pictures) {
        for (const EncodedPicture& picture : pictures) {
            m_known.push_back(std::make_shared<const session::KnownPicture>(
                session::KnownPicture{std::to_string(m_known.size()), picture, m_known.size()}));
            m_rows.push_back(std::make_shared<const std::vector<float>>(picture.rows));
        }
    }

    const std::vector<std::shared_ptr<const session::KnownPicture>>& all() const { return m_known; }
    Result<std::shared_ptr<const session::KnownPicture>> find(const std::string& hash) override {
        return m_known.at(std::stoul(hash));
    }
    Status encode(const session::KnownPicture&, const std::string&,
                  const std::function<void(double)>&) override {
        return {};
    }
    Result<std::shared_ptr<const std::vector<float>>> rows(const session::KnownPicture& picture) override {
        return m_rows.at(picture.identity);
    }

  private:
    std::vector<std::shared_ptr<const session::KnownPicture>> m_known;
    std::vector<std::shared_ptr<const std::vector<float>>> m_rows;
};

/// Errors: InvalidArgument, unless there is a mark for each picture.
Status checkMarks(std::string_view prompt, size_t numPictures) {
    size_t numMarks = 0;
    for (size_t at = prompt.find(kPictureMark); at != prompt.npos; at = prompt.find(kPictureMark, at + 1))
        ++numMarks;
    if (numMarks == numPictures) return {};
    return fail(ErrorCode::InvalidArgument, "{} pictures, and {} marks {} in the prompt", numPictures,
                numMarks, kPictureMark);
}

}  // namespace

Status logitsWithPictures(const std::string& path, const LoadOptions& options, std::string_view prompt,
                          std::span<const EncodedPicture> pictures, uint32_t chunkTokens,
                          const std::function<void(std::span<const float>)>& row) {
    INGLE_TRY(checkMarks(prompt, pictures.size()));
    INGLE_TRY_ASSIGN(const io::Source source, io::Source::open(path));
    INGLE_TRY_ASSIGN(const auto model, session::Model::load(source, options, nullptr));
    session::Place& place = model->placement().place();
    if (!model->opened().tokenizer || !place.takesPictures())
        return fail(ErrorCode::Unsupported, "{}: the model takes no pictures here", path);
    const auto encoded = std::make_shared<EncodedPictures>(pictures);
    model->showPictures(encoded);
    const session::OpenedModel& opened = model->opened();
    const tokenizer::TextSegment text{std::string(prompt), /*parseSpecial=*/true};
    INGLE_TRY_ASSIGN(const session::PromptIds ids,
                     session::ShownPictures::given(encoded->all()).encode(opened, {&text, 1}));
    const size_t chunk = chunkTokens > 0 ? chunkTokens : session::Model::kPrefillTokens;
    const auto stepAt = [&](size_t done) {
        const size_t end =
            ids.pictures.endOfStep(done, std::min(done + chunk, ids.ids.size()), opened.sight->readsWhole);
        return std::span(ids.ids).subspan(done, end - done);
    };
    size_t longest = 0;
    for (size_t done = 0; done < ids.ids.size(); done += stepAt(done).size())
        longest = std::max(longest, stepAt(done).size());
    const auto most = static_cast<uint32_t>(longest);
    INGLE_TRY_ASSIGN(const auto program, place.compile(most, most));
    INGLE_TRY_ASSIGN(const auto sequence, model->memory().createSequence());
    for (size_t done = 0; done < ids.ids.size(); done = sequence->length()) {
        session::StepRows step(opened, true);
        INGLE_TRY(step.add({.sequence = sequence.get()}, stepAt(done), ids.pictures));
        std::vector<uint32_t> wanted(ids.pictures.at(done) ? 0 : step.tokens().size());
        std::iota(wanted.begin(), wanted.end(), 0U);
        INGLE_TRY(program->run(step.step(wanted, nullptr)));
        for (const uint32_t index : wanted) {
            INGLE_TRY_ASSIGN(const std::span<const float> values, program->readOutput(index));
            row(values);
        }
    }
    return {};
}

}  // namespace ingle
