// New conversation, search, and all conversations by date.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

Rectangle {
    id: sidebar

    required property ChatController chat
    required property ConversationListModel conversations
    required property Actions actions

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
                hint: sidebar.actions.hint("newConversation")
                onClicked: {
                    sidebar.actions.run("newConversation");
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
            onTextChanged: sidebar.conversations.searchText = text
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

            property double chosenHit: 0

            // The keyboard begins where the person is.
            onActiveFocusChanged: {
                if (activeFocus && currentIndex < 0)
                    currentIndex = Math.max(0, sidebar.conversations.rowOf(sidebar.chat.conversationId));
            }
            Keys.onEscapePressed: sidebar.done()
            boundsBehavior: Flickable.StopAtBounds
            model: sidebar.conversations
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
                chat: sidebar.chat
                conversations: sidebar.conversations
                actions: sidebar.actions
                width: ListView.view.width
                menuOpen: menu.visible && menu.target === conversationId
                chosenHit: list.chosenHit
                onChosen: {
                    list.chosenHit = message;
                    sidebar.chosen();
                }
                onMenuRequested: (at, x, y) => menu.openFor(conversationId, at, x, y)
            }

            Text {
                textFormat: Text.PlainText
                anchors.horizontalCenter: parent.horizontalCenter
                y: Theme.xl
                visible: list.count === 0
                text: sidebar.conversations.emptySentence
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

        actions: sidebar.actions
    }

    Binding {
        target: sidebar.conversations
        property: "focused"
        value: list.activeFocus && list.currentItem ? (list.currentItem as ConversationRow).conversationId : 0
    }
    Connections {
        target: sidebar.actions
        function onViewWanted(view) {
            if (view !== Actions.SearchView)
                return;
            searchField.forceActiveFocus(Qt.ShortcutFocusReason);
            searchField.selectAll();
        }
        function onRenameWanted(conversation) {
            // Its row may not have been made yet.
            list.positionViewAtIndex(sidebar.conversations.rowOf(conversation), ListView.Contain);
            const row = list.itemAtIndex(sidebar.conversations.rowOf(conversation)) as ConversationRow;
            if (row)
                row.startRenaming();
        }
    }
}
