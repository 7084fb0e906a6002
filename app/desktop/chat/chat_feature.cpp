#include "app/desktop/chat/chat_feature.h"

#include <unistd.h>

#include <QPointer>

#include <array>
#include <utility>

#include "app/desktop/services/text.h"
#include "app/documents/opened_file.h"
#include "app/documents/picture_kind.h"

namespace ingle::desktop {
namespace {

bool isPicture(const std::string& path) {
    const auto file = documents::openFile(path);
    std::array<char, documents::kPictureHeadBytes> head;
    const ssize_t count =
        file && !file->isFolder ? ::read(file->descriptor.get(), head.data(), head.size()) : 0;
    return count > 0 && documents::pictureKindOf({head.data(), static_cast<size_t>(count)}).has_value();
}

PageParts partsOf(Services& services) {
    return {services.engine(),    *services.model(), *services.opener(), services.work(),
            *services.settings(), *services.saver(), *services.notices()};
}

}  // namespace

ChatFeature::ChatFeature(Services& services)
    : m_services(services),
      m_page(services.storage(), partsOf(services)),
      m_titles(services, m_page, [this] { return isIdle(); }),
      m_secret(partsOf(services)),
      m_startPage(*services.model(), *services.opener()),
      m_prompts(services.storage(), *services.notices()) {
    ModelInUse& model = *services.model();
    connect(m_page.chat(), &ChatController::wanted, &m_secret, &PrivateChat::leave);
    connect(&m_secret, &PrivateChat::shownChanged, this, &Chats::shownChanged);
    connect(this, &Chats::shownChanged, services.notices(),
            [this] { m_services.notices()->clearBanner(Notices::Topic::Leaving); });
    connect(&services, &Services::historyLost, m_page.chat(), &ChatController::newConversation);
    connect(&services, &Services::historyReplaced, &m_prompts, &Prompts::load);
    connect(&services, &Services::languageChanged, this, [this] {
        emit m_startPage.changed();
        m_prompts.load();
        for (ChatPage* page : {&m_page, m_secret.page()})
            if (page != nullptr) page->speakAnew();
    });

    connect(services.settings(), &Settings::changed, this, &ChatFeature::applyChoices);
    connect(m_page.answers(), &RunningAnswers::stateChanged, this, &ChatFeature::applyChoices);
    connect(&model, &ModelInUse::stateChanged, this, &ChatFeature::applyChoices);
    connect(&model, &ModelInUse::choicesSettled, this, &ChatFeature::applyChoices);
    connect(m_page.answers(), &RunningAnswers::ended, &model,
            [&model](history::RowId, history::RowId, const history::AnswerEnd& ending) {
                model.measure(ending.receipt.modelPath, ending.stats);
            });

    services.opener()->addTaker(
        [this](const Opener::Things& things, const Opener::Rest& rest) { takePictures(things, rest); },
        Opener::Aim::Message);

    connect(services.portal(), &DesktopPortal::screenTaken, services.opener(),
            [&services, toComposer = services.actions()->showPage("composer")](const QUrl& file) {
                toComposer(0);
                services.opener()->openUrls({file});
            });
    connect(services.portal(), &DesktopPortal::screenRefused, services.notices(),
            [&services] { services.notices()->showToast(tr("The desktop took no screenshot.")); });

    Actions& actions = *services.actions();
    actions.setTarget(ActionScope::Message, [this] { return chat()->messages()->lastId(); });
    actions.setTarget(ActionScope::Question,
                      [this] { return static_cast<history::RowId>(chat()->messages()->lastQuestion()); });
    actions.add(answerTable());
    actions.add(table());
    followActions(m_page);
    connect(&m_secret, &PrivateChat::openChanged, this, [this] {
        if (m_secret.isOpen()) {
            followActions(*m_secret.page());
            connect(m_secret.page()->answers(), &RunningAnswers::stateChanged, &m_titles,
                    &TitleMaker::giveWay);
        }
        m_services.actions()->refresh();
    });
    connect(&m_secret, &PrivateChat::shownChanged, &actions, &Actions::refresh);
}

void ChatFeature::followActions(ChatPage& page) {
    Actions* actions = m_services.actions();
    connect(page.chat(), &ChatController::generationChanged, actions, &Actions::refresh);
    connect(page.chat(), &ShownChat::conversationChanged, actions, &Actions::refresh);
    connect(page.chat(), &ShownChat::readOnlyChanged, actions, &Actions::refresh);
    connect(page.chat()->messages(), &ChatRows::messagesChanged, actions, &Actions::refresh);
    connect(page.prompt(), &PromptView::opened, actions, [actions] { emit actions->pageWanted("prompt"); });
    connect(page.profiles(), &ProfileEditor::opened, actions,
            [actions] { emit actions->pageWanted("profile"); });
    connect(page.viewer(), &PictureViewer::opened, actions,
            [actions] { emit actions->pageWanted("picture"); });
}

void ChatFeature::takePictures(const Opener::Things& things, const Opener::Rest& rest) {
    using Parted = std::pair<Opener::Things, Opener::Things>;  // pictures, and the others
    const auto part = [things] {
        Parted parted;
        for (const Recognition& thing : things)
            (isPicture(thing.path) ? parted.first : parted.second).push_back(thing);
        return parted;
    };
    m_services.storage().run(this, part, [things, rest, shown = QPointer(chat())](const Parted& parted) {
        if (!shown || shown->readOnly()) return rest(things);
        for (const Recognition& thing : parted.first) shown->attachFile(toQString(thing.path));
        rest(parted.second);
    });
}

bool ChatFeature::isIdle() {
    const bool isPrivateIdle = !m_secret.isOpen() || m_secret.page()->answers()->none();
    return isPrivateIdle && m_page.answers()->none();
}

void ChatFeature::applyChoices() {
    if (isIdle()) m_services.model()->applyChoices();
}

}  // namespace ingle::desktop
