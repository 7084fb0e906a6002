#include "app/desktop/models/smaller_model.h"

#include <QDir>

#include <cmath>
#include <utility>

#include "app/desktop/services/error_sentences.h"
#include "app/desktop/services/size_text.h"
#include "app/desktop/services/text.h"
#include "app/library/display_name.h"
#include "ingle/error_ids.h"

namespace ingle::desktop {
namespace {

/// Before that nobody can tell how long the rest takes.
constexpr double kLeastFraction = 0.02;
constexpr qint64 kLeastMs = 2000;

/// As people write it, with their home folder as "~".
QString shortPath(const QString& path) {
    const QString home = QDir::homePath() + '/';
    return path.startsWith(home) ? "~/" + path.mid(home.size()) : path;
}

}  // namespace

SmallerModel::SmallerModel(EngineClient& engine, Opener& opener, BackgroundWork& work, Notices& notices,
                           const QString& folder, QObject* parent)
    : QObject(parent), m_engine(engine), m_opener(opener), m_notices(notices), m_folder(folder) {
    connect(&opener, &Opener::choiceWanted, this, &SmallerModel::ask);
    connect(this, &SmallerModel::changed, &work, [this, &work] { work.tell(progress()); });
}

QString SmallerModel::name() const {
    return toQString(library::displayName(m_info.name));
}

QString SmallerModel::sentence() const {
    return m_state == Failed ? failure() : m_state == Making ? progress() : question();
}

QString SmallerModel::makeWords() const {
    return m_state == Failed ? tr("Try again") : tr("Make it smaller");
}

QString SmallerModel::question() const {
    const QString sentence = m_isPublished
                                 ? tr("%1, as published: %2. Use it as it is, or make it smaller: %3.")
                                 : tr("%1: %2. Use it as it is, or make it smaller: %3.");
    return sentence.arg(name(), sizeText(m_info.fileBytes), sizeText(m_info.smallerBytes));
}

QString SmallerModel::place() const {
    return tr("The smaller file takes %1 in %2.").arg(sizeText(m_info.smallerBytes), shortPath(m_folder));
}

QString SmallerModel::progress() const {
    if (m_state != Making) return {};
    return tr("Making %1 smaller: %2%").arg(name()).arg(std::floor(m_fraction * 100));
}

QString SmallerModel::timeLeft() const {
    if (m_state != Making || m_fraction < kLeastFraction || m_begun.elapsed() < kLeastMs) return {};
    const double seconds = static_cast<double>(m_begun.elapsed()) / 1000 * (1 - m_fraction) / m_fraction;
    if (seconds < 60) return tr("less than a minute left");
    return tr("about %n minutes left", nullptr, static_cast<int>(std::ceil(seconds / 60)));
}

QString SmallerModel::failure() const {
    if (errorIdOf(*m_failure) == ErrorId::DiskFull) return tr("The disk is full, and nothing was kept.");
    return errorSentence(*m_failure);
}

QString SmallerModel::failureDetails() const {
    return m_failure ? errorDetails(*m_failure) : QString();
}

void SmallerModel::setFolder(const QUrl& folder) {
    if (!folder.isLocalFile()) return;
    m_folder = folder.toLocalFile();
    emit changed();
}

void SmallerModel::setState(State state) {
    m_state = state;
    emit changed();
}

void SmallerModel::ask(const Recognition& model) {
    // One at a time: this one can be made smaller later.
    if (m_state == Making) return m_opener.add(model.info);
    m_info = model.info;
    m_isPublished = model.can(ModelAction::MakeSmaller);
    m_failure.reset();
    setState(Asking);
    show();
}

void SmallerModel::lookAt(const QString& path) {
    if (m_state == Making) return show();
    m_engine.recognise({path}, [this](const Result<std::vector<Recognition>>& things) {
        if (things && !things->empty() && !things->front().info.smallerQuant.empty()) ask(things->front());
    });
}

void SmallerModel::show() {
    m_isShown = true;
    emit wanted();
}

void SmallerModel::closed() {
    m_isShown = false;
    if (m_state == Idle || m_state == Making) return;
    setState(Idle);
    m_opener.decline();
}

void SmallerModel::useAsItIs() {
    setState(Idle);
    m_opener.add(m_info);
}

void SmallerModel::make() {
    m_fraction = 0;
    m_failure.reset();
    m_begun.start();
    m_request = m_engine.importModel(
        {m_info.path, m_folder.toStdString(), library::displayName(m_info.name), m_info.smallerQuant},
        [this](double fraction) {
            m_fraction = fraction;
            emit changed();
        },
        [this](const Result<protocol::Imported>& made) { onMade(made); });
    setState(Making);
}

void SmallerModel::stop() {
    if (m_state == Making) m_engine.cancel(m_request);
}

void SmallerModel::onMade(const Result<protocol::Imported>& made) {
    if (made) {
        const QString path = toQString(made->path);
        const bool wasShown = m_isShown;
        setState(Idle);
        return wasShown ? m_opener.openPath(path) : offer(path);
    }
    if (made.error().code == ErrorCode::Cancelled) {
        m_notices.showToast(tr("Stopped; nothing was kept."));
        setState(Idle);
        return m_opener.decline();
    }
    m_failure = made.error();
    setState(Failed);
    show();
}

void SmallerModel::offer(const QString& path) {
    m_engine.recognise({path}, [this, path](const Result<std::vector<Recognition>>& things) {
        if (!things || things->empty() || things->front().refusal) return;
        m_opener.keep(things->front().info);
        m_notices.showBanner({.topic = Notices::Topic::Arrival,
                              .sentence = tr("The smaller %1 is ready.").arg(name()),
                              .action = tr("Open"),
                              .run = [this, path] { m_opener.openPath(path); }});
    });
}

}  // namespace ingle::desktop
