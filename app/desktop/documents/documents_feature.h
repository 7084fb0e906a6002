/// Documents that chats ask about. GUI thread.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

#include <vector>

#include "app/desktop/documents/document_shelf.h"
#include "app/desktop/documents/quote_finder.h"
#include "app/desktop/services/chats.h"
#include "app/desktop/services/services.h"

namespace ingle::desktop {

class DocumentsFeature : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    Q_PROPERTY(ingle::desktop::DocumentShelf* shelf READ shelf CONSTANT)
    Q_PROPERTY(ingle::desktop::ChatDocuments* ofChat READ ofChat CONSTANT)
    Q_PROPERTY(ingle::desktop::QuoteFinder* quotes READ quotes CONSTANT)
  public:
    DocumentsFeature(Services& services, Chats& chats);

    DocumentShelf* shelf() { return &m_shelf; }
    ChatDocuments* ofChat() { return &m_ofChat; }
    QuoteFinder* quotes() { return &m_quotes; }

  private:
    std::vector<Action> table();

    Services& m_services;
    Chats& m_chats;
    DocumentShelf m_shelf;
    ChatDocuments m_ofChat;
    QuoteFinder m_quotes;
};

}  // namespace ingle::desktop
