// New conversation, search, and all conversations by date.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

Rectangle {
    id: sidebar

    required property AppModel app

    /// A conversation was chosen; a drawer can close.
    signal chosen
    /// The person is done here.
    signal done

    color: Theme.sidebar

    ColumnLayout {
        anchors.fill: parent
        anchors.topMargin: Theme.m
        spacing: Theme.m

        RowLayout {
            Layout.fillWidth: true
            Layout.leftMargin: Theme.l
            Layout.rightMargin: Theme.s

            Text {
                textFormat: Text.PlainText
                Layout.fillWidth: true
                text: "Inglenook"
                color: Theme.text
                font.pixelSize: Theme.headingSize(3)
                font.weight: Font.DemiBold
            }
            IconButton {
                objectName: "newChatButton"
                iconName: "plus"
                hint: sidebar.app.actions.hint("newConversation")
                onClicked: {
                    sidebar.app.actions.run("newConversation");
                    sidebar.chosen();
                }
            }
        }

        InputField {
            id: searchField
            objectName: "searchField"
            Layout.fillWidth: true
            Layout.leftMargin: Theme.m
            Layout.rightMargin: Theme.m
            label: qsTr("Search all conversations")
            placeholderText: qsTr("Search")
            leftPadding: Theme.xl + Theme.s
            onTextChanged: sidebar.app.conversations.searchText = text
            Keys.onEscapePressed: {
                if (text.length > 0)
                    clear();
                else
                    sidebar.done();
            }
            Keys.onDownPressed: {
                list.currentIndex = 0;
                list.forceActiveFocus(Qt.TabFocusReason);
            }

            Icon {
                x: Theme.s
                anchors.verticalCenter: parent.verticalCenter
                width: 17
                height: 17
                name: "search"
                color: Theme.mutedText
            }
        }

        ListView {
            id: list
            objectName: "conversationList"
            Layout.fillWidth: true
            Layout.fillHeight: true
            clip: true
            activeFocusOnTab: true
            keyNavigationEnabled: true
            currentIndex: -1
            // The keyboard begins where the person is.
            onActiveFocusChanged: {
                if (activeFocus && currentIndex < 0)
                    currentIndex = Math.max(0, sidebar.app.conversations.rowOf(sidebar.app.chat.conversationId));
            }
            Keys.onEscapePressed: sidebar.done()
            boundsBehavior: Flickable.StopAtBounds
            model: sidebar.app.conversations
            Accessible.role: Accessible.List
            Accessible.name: qsTr("Conversations")
            T.ScrollBar.vertical: ScrollThumb {}

            section.property: "section"
            section.delegate: Text {
                required property string section

                textFormat: Text.PlainText
                leftPadding: Theme.l
                topPadding: Theme.m
                bottomPadding: Theme.xs
                width: ListView.view.width
                text: section
                color: Theme.mutedText
                font.pixelSize: Theme.smallSize - 1
                font.weight: Font.Medium
                Accessible.role: Accessible.Heading
                Accessible.name: text
            }
            delegate: ConversationRow {
                app: sidebar.app
                width: ListView.view.width
                menuOpen: menu.visible && menu.target === conversationId
                onChosen: sidebar.chosen()
                onMenuRequested: (at, x, y) => menu.openFor(conversationId, at, x, y)
            }

            Text {
                textFormat: Text.PlainText
                anchors.horizontalCenter: parent.horizontalCenter
                y: Theme.xl
                visible: list.count === 0
                text: sidebar.app.conversations.searchText.length > 0 ? qsTr("Nothing found") : qsTr("No conversations yet")
                color: Theme.mutedText
                font.pixelSize: Theme.smallSize
            }
        }
    }

    ActionMenu {
        id: menu

        function openFor(conversation: double, at: Item, x: real, y: real) {
            listed = actions.ofConversation(conversation);
            target = conversation;
            popup(at, x, y);
            currentIndex = 0;
        }

        actions: sidebar.app.actions
    }

    Binding {
        target: sidebar.app.conversations
        property: "focused"
        value: list.activeFocus && list.currentItem ? (list.currentItem as ConversationRow).conversationId : 0
    }
    Connections {
        target: sidebar.app
        function onViewWanted(view) {
            if (view !== AppModel.SearchView)
                return;
            searchField.forceActiveFocus(Qt.ShortcutFocusReason);
            searchField.selectAll();
        }
        function onRenameWanted(conversation) {
            // Its row may not have been made yet.
            list.positionViewAtIndex(sidebar.app.conversations.rowOf(conversation), ListView.Contain);
            const row = list.itemAtIndex(sidebar.app.conversations.rowOf(conversation)) as ConversationRow;
            if (row)
                row.startRenaming();
        }
    }
}
