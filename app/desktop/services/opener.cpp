#include "app/desktop/services/opener.h"

#include <QFileInfo>
#include <QRegularExpression>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "app/desktop/services/library_models.h"
#include "app/desktop/services/text.h"
#include "ingle/error_ids.h"

namespace ingle::desktop {
namespace {

using library::ModelEntry;
using library::ModelPurpose;

/// Of a model that is read for each token: at 10 GB/s, which every computer's memory has, this is 40 tokens a
/// second, and nobody reads faster. A smaller one would be worse and seem no quicker, so nobody is asked.
constexpr uint64_t kSmallEnoughBytes = 256'000'000;

bool canChat(const Recognition& model) {
    return hasTokenizer(model.info) && purposeOf(model.info) == ModelPurpose::Chats;
}

bool isWorthMakingSmaller(const Recognition& model) {
    return model.can(ModelAction::MakeSmaller) && model.info.fileBytes >= kSmallEnoughBytes;
}

/// "model.gguf", or "model (1).gguf", as browsers call it where there is one already.
bool isCopyOf(const QString& wanted, const QString& name) {
    const QFileInfo file(wanted);
    const QRegularExpression form(QRegularExpression::escape(file.completeBaseName()) + R"(( ?\(\d+\))?\.)" +
                                  QRegularExpression::escape(file.suffix()));
    return !wanted.isEmpty() &&
           QRegularExpression(QRegularExpression::anchoredPattern(form.pattern())).match(name).hasMatch();
}

}  // namespace

Opener::Opener(StorageThread& storage, EngineClient& engine, ModelInUse& models, Notices& notices,
               QObject* parent)
    : QObject(parent), m_storage(storage), m_engine(engine), m_models(models), m_notices(notices) {
    connect(&models, &ModelInUse::started, this, [this] {
        // A file that was named at the start takes the place of the model used last.
        if (isLooking())
            m_startWithLast = true;
        else
            m_models.useLast();
    });
    connect(&models, &ModelInUse::chosen, this, [this] {
        forgetInspection();
        m_startWithLast = false;
    });
}

void Opener::setAwaited(const QString& fileName) {
    if (m_awaited == fileName) return;
    m_awaited = fileName;
    emit awaitedChanged();
}

void Opener::setInspection(std::optional<protocol::RequestId> inspection) {
    const bool wasLooking = isLooking();
    m_inspection = inspection;
    if (isLooking() != wasLooking) emit lookingChanged();
}

void Opener::inspectionEnded(const std::optional<Error>& failure) {
    setInspection(std::nullopt);
    if (failure) m_notices.showError(Notices::Topic::Model, *failure);
    const bool startWithLast = std::exchange(m_startWithLast, false);
    if (startWithLast && failure) m_models.useLast();
}

void Opener::openLocal(const QList<QUrl>& urls, Aim aim) {
    QStringList paths;
    for (const QUrl& url : urls)
        if (url.isLocalFile()) paths.append(url.toLocalFile());
    if (paths.isEmpty()) {
        m_notices.showBanner({Notices::Topic::Model, tr("Only files on this computer can be opened.")});
        return;
    }
    openPaths(paths, aim);
}

void Opener::openPath(const QString& path) {
    openPaths({path}, Aim::Message);
}

void Opener::openPaths(const QStringList& paths, Aim aim) {
    // What came before is still handed on, but for models that a later one has followed.
    const quint64 number = ++m_numInspections;
    m_notices.clearBanner(Notices::Topic::Model);
    setInspection(
        m_engine.recognise(paths, [this, number, aim](const Result<std::vector<Recognition>>& things) {
            if (things && !things->empty() && !things->front().refusal && number > m_newestModel) {
                m_newestModel = number;
                onRecognised(*things, aim);
                return;
            }
            if (number != m_numInspections) {
                if (things) handTexts(*things, aim);
                return;
            }
            if (things && !things->empty())
                onRecognised(*things, aim);
            else if (!things)
                inspectionEnded(things.error());
        }));
}

void Opener::onRecognised(const Things& things, Aim aim) {
    // Models come first.
    const auto numModels =
        std::ranges::count_if(things, [](const Recognition& thing) { return !thing.refusal; });
    const std::span<const Recognition> others = std::span(things).subspan(static_cast<size_t>(numModels));
    const bool hasTexts = handTexts(others, aim);
    if (numModels == 0 && !hasTexts) return refuse(things.front());
    if (numModels == 0) {
        setInspection(std::nullopt);
        return decline();
    }
    for (const Recognition& thing : others)
        if (!thing.can(ModelAction::ReadText)) m_notices.showToast(errorSentence(*thing.refusal));
    Things models(things.begin(), things.begin() + numModels);
    std::ranges::stable_partition(models, canChat);
    const Recognition& first = models.front();
    if (numModels == 1 && isWorthMakingSmaller(first) && canChat(first)) {
        setInspection(std::nullopt);
        return emit choiceWanted(first);
    }
    for (const Recognition& thing : std::span(models).subspan(1)) keep(thing.info);
    if (numModels > 1)
        m_notices.showToast(
            tr("%n models were recognised; the first is opened.", nullptr, static_cast<int>(numModels)));
    add(first.info);
}

bool Opener::handTexts(std::span<const Recognition> things, Aim aim) {
    Things texts;
    std::ranges::copy_if(things, std::back_inserter(texts),
                         [](const Recognition& thing) { return thing.can(ModelAction::ReadText); });
    if (!texts.empty()) hand(texts, aim, 0);
    return !texts.empty();
}

void Opener::hand(const Things& things, Aim aim, size_t taker) {
    if (things.empty() || taker == m_takers.size()) return;
    const auto& [take, takesFor] = m_takers[taker];
    if (takesFor == Aim::Message && aim == Aim::Document) return hand(things, aim, taker + 1);
    take(things, [this, aim, taker](const Things& rest) { hand(rest, aim, taker + 1); });
}

void Opener::refuse(const Recognition& thing) {
    inspectionEnded(*thing.refusal);
    if (!thing.can(ModelAction::GetInstead)) return;
    Notices::Banner banner = Notices::bannerOf(Notices::Topic::Model, *thing.refusal);
    banner.action = tr("Find a model");
    banner.run = [this] { emit insteadWanted(); };
    m_notices.showBanner(std::move(banner));
}

void Opener::decline() {
    if (std::exchange(m_startWithLast, false)) m_models.useLast();
}

void Opener::offer(const QString& path) {
    m_engine.inspect(path, [this, path](const Result<ModelInfo>& info) {
        // A download that is not all there yet is no news.
        if (info) onArrived(path, *info);
    });
}

void Opener::onArrived(const QString& path, const ModelInfo& info) {
    emit arrivedWhole(path);
    const bool isKnown = std::ranges::any_of(
        m_models.entries(), [&](const ModelEntry& entry) { return toQString(entry.path) == path; });
    if (!hasTokenizer(info) || isKnown) return;
    if (isCopyOf(m_awaited, QFileInfo(path).fileName())) {
        setAwaited({});
        return openPath(path);
    }
    m_notices.showBanner({.topic = Notices::Topic::Arrival,
                          .sentence = tr("%1 finished downloading.").arg(QFileInfo(path).fileName()),
                          .action = tr("Open"),
                          .run = [this, path] { openPath(path); }});
}

void Opener::add(const ModelInfo& info) {
    if (!hasTokenizer(info)) return inspectionEnded(ModelInUse::noTokenizer(info.path));
    if (scoresPairs(info))
        return inspectionEnded(withId<ErrorId::OnlyScores>(
            Error{ErrorCode::Unsupported,
                  fmt::format("{}: the model scores texts and writes none", info.path)},
            info.path));
    m_storage.run(
        this, [info](library::Library& library) { return addModel(library, info); },
        [this](const Result<CheckedModel>& checked) {
            if (checked && checked->entry.purpose == ModelPurpose::Embeddings) return welcome(checked->entry);
            inspectionEnded(checked ? std::nullopt : std::optional(checked.error()));
            if (checked) m_models.load(checked->entry, checked->file);
        });
}

void Opener::welcome(const ModelEntry& entry) {
    setInspection(std::nullopt);
    decline();
    m_notices.showToast(tr("%1 finds passages in documents from now on. It cannot chat.")
                            .arg(toQString(library::displayName(entry.name))));
    m_models.refresh();
}

void Opener::keep(const ModelInfo& info) {
    m_storage.run(
        this, [info](library::Library& library) { return addModel(library, info); },
        [this](const Result<CheckedModel>& checked) {
            if (!checked) return m_notices.showError(Notices::Topic::Model, checked.error());
            m_models.refresh();
        });
}

void Opener::forgetInspection() {
    m_newestModel = ++m_numInspections;
    if (!m_inspection) return;
    m_engine.cancel(*m_inspection);
    setInspection(std::nullopt);
}

}  // namespace ingle::desktop
