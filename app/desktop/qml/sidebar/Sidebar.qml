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
                hint: qsTr("New conversation (%1)").arg(ShortcutKeys.newConversation)
                onClicked: {
                    sidebar.app.chat.newConversation();
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
            Keys.onEscapePressed: event => {
                event.accepted = text.length > 0;
                clear();
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
            onActiveFocusChanged: if (activeFocus && currentIndex < 0) currentIndex = 0
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
                onChosen: sidebar.chosen()
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

    Connections {
        target: sidebar.app.conversations
        function onSearchRequested() {
            searchField.forceActiveFocus(Qt.ShortcutFocusReason);
            searchField.selectAll();
        }
    }
}
