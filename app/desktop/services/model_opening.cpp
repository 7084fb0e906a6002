/// How a file becomes a model of the list: what was dropped is looked at, added, and loaded.
#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "app/desktop/services/library_models.h"
#include "app/desktop/services/model_list_model.h"
#include "app/desktop/services/text.h"

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

}  // namespace

void ModelListModel::inspectionEnded(const std::optional<Error>& failure) {
    setInspection(std::nullopt);
    if (failure) m_notices.showError(Notices::Topic::Model, *failure);
    const bool startWithLast = std::exchange(m_startWithLast, false);
    if (startWithLast && failure) useLast();
}

void ModelListModel::openUrls(const QList<QUrl>& urls) {
    QStringList paths;
    for (const QUrl& url : urls)
        if (url.isLocalFile()) paths.append(url.toLocalFile());
    if (paths.isEmpty()) {
        m_notices.showBanner({Notices::Topic::Model, tr("Only files on this computer can be opened.")});
        return;
    }
    openPaths(paths);
}

void ModelListModel::openPath(const QString& path) {
    openPaths({path});
}

void ModelListModel::openPaths(const QStringList& paths) {
    forgetInspection();
    m_notices.clearBanner(Notices::Topic::Model);
    setInspection(m_engine.recognise(
        paths, [this, number = m_numInspections](const Result<std::vector<Recognition>>& things) {
            if (number != m_numInspections) return;  // another model was chosen since
            if (things && !things->empty())
                onRecognised(*things);
            else if (!things)
                inspectionEnded(things.error());
        }));
}

void ModelListModel::onRecognised(const std::vector<Recognition>& things) {
    // Models come first.
    const auto numModels =
        std::ranges::count_if(things, [](const Recognition& thing) { return !thing.refusal; });
    const std::span<const Recognition> others = std::span(things).subspan(static_cast<size_t>(numModels));
    std::vector<Recognition> texts;
    std::ranges::copy_if(others, std::back_inserter(texts),
                         [](const Recognition& thing) { return thing.can(ModelAction::ReadText); });
    if (!texts.empty()) emit noModelsGiven(texts);
    if (numModels == 0 && texts.empty()) return refuse(things.front());
    if (numModels == 0) {
        setInspection(std::nullopt);
        return decline();
    }
    for (const Recognition& thing : others)
        if (!thing.can(ModelAction::ReadText)) m_notices.showToast(errorSentence(*thing.refusal));
    std::vector<Recognition> models(things.begin(), things.begin() + numModels);
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

void ModelListModel::refuse(const Recognition& thing) {
    inspectionEnded(*thing.refusal);
    if (!thing.can(ModelAction::GetInstead)) return;
    Notices::Banner banner = Notices::bannerOf(Notices::Topic::Model, *thing.refusal);
    banner.action = tr("Find a model");
    banner.run = [this] { emit insteadWanted(); };
    m_notices.showBanner(std::move(banner));
}

void ModelListModel::decline() {
    if (std::exchange(m_startWithLast, false)) useLast();
}

void ModelListModel::offer(const QString& path) {
    m_engine.inspect(path, [this, path](const Result<ModelInfo>& info) {
        // A download that is not all there yet is no news.
        if (info) onArrived(path, *info);
    });
}

void ModelListModel::onArrived(const QString& path, const ModelInfo& info) {
    emit arrivedWhole(path);
    const bool isKnown =
        std::ranges::any_of(m_models, [&](const ModelEntry& entry) { return toQString(entry.path) == path; });
    if (!hasTokenizer(info) || isKnown) return;
    m_notices.showBanner(
        {.topic = Notices::Topic::Arrival,
         .sentence = tr("%1 has arrived in your downloads.").arg(toQString(library::displayName(info.name))),
         .action = tr("Open"),
         .run = [this, path] { openPath(path); }});
}

void ModelListModel::add(const ModelInfo& info) {
    if (!hasTokenizer(info)) return inspectionEnded(noTokenizer(info.path));
    m_storage.run(
        this, [info](library::Library& library) { return addModel(library, info); },
        [this](const Result<CheckedModel>& checked) {
            if (checked && checked->entry.purpose == ModelPurpose::Embeddings) return welcome(checked->entry);
            inspectionEnded(checked ? std::nullopt : std::optional(checked.error()));
            if (checked) load(checked->entry, checked->file);
        });
}

void ModelListModel::welcome(const ModelEntry& entry) {
    setInspection(std::nullopt);
    decline();
    m_notices.showToast(tr("%1 finds passages in documents from now on. It cannot chat.")
                            .arg(toQString(library::displayName(entry.name))));
    refresh();
}

void ModelListModel::keep(const ModelInfo& info) {
    m_storage.run(
        this, [info](library::Library& library) { return addModel(library, info); },
        [this](const Result<CheckedModel>& checked) {
            if (!checked) return m_notices.showError(Notices::Topic::Model, checked.error());
            refresh();
        });
}

void ModelListModel::forgetInspection() {
    ++m_numInspections;
    if (!m_inspection) return;
    m_engine.cancel(*m_inspection);
    setInspection(std::nullopt);
}

}  // namespace ingle::desktop
