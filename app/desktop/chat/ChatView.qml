// One conversation: its header, its messages and the composer.
import QtQuick
import QtQuick.Layouts
import Qt.labs.qmlmodels
import Inglenook

Item {
    id: view

    required property ChatController chat
    required property ChatStatus status
    required property StartPage startPage
    required property ModelInUse models
    required property DraftMeasure measure
    required property DraftMeasure editMeasure
    required property Notices notices
    required property Actions actions
    required property DesktopPortal portal
    required property CodeColours colours
    required property FormulaPictures formulas
    required property AnotherWord words
    required property FindInChat finder
    required property Prompts prompts
    required property PictureViewer viewer
    required property bool narrow
    /// What an empty chat offers where there is no model.
    required property Component startOffers
    /// Above the field to write in; null: nothing.
    property Component documents: null
    /// Nothing of the chat is kept; null: all of it is.
    property PrivateChat secret: null

    /// What toasts stand above.
    readonly property real composerHeight: height - composer.y

    signal sidebarRequested
    /// The person wants to answer with another model.
    signal modelsRequested
    signal saveRequested(string text, string label)

    function focusComposer() {
        composer.takeFocus();
    }

    ColumnLayout {
        anchors.fill: parent
        spacing: 0

        Item {
            Layout.fillWidth: true
            implicitHeight: Theme.controlSize + 2 * Theme.s

            IconButton {
                id: sidebarButton
                objectName: "sidebarButton"
                anchors.left: parent.left
                anchors.leftMargin: Theme.s
                anchors.verticalCenter: parent.verticalCenter
                visible: view.narrow
                iconName: "menu"
                hint: qsTr("Conversations")
                onClicked: view.sidebarRequested()
            }
            Text {
                anchors.left: parent.left
                anchors.leftMargin: view.narrow ? Theme.controlSize + Theme.l : Theme.xl
                anchors.right: modelButton.left
                anchors.rightMargin: Theme.s
                anchors.verticalCenter: parent.verticalCenter
                text: view.secret !== null ? qsTr("Private chat") : view.chat.title
                textFormat: Text.PlainText
                color: Theme.text
                font.pixelSize: Theme.textSize
                font.weight: Font.DemiBold
                elide: Text.ElideRight
                Accessible.role: Accessible.Heading
                Accessible.name: text
            }
            ModelButton {
                id: modelButton
                anchors.right: settingsButton.left
                anchors.verticalCenter: parent.verticalCenter
                width: Math.min(implicitWidth, view.width / 2)
                status: view.status
                actions: view.actions
                onClicked: view.modelsRequested()
            }
            IconButton {
                id: settingsButton
                objectName: "settingsButton"
                anchors.right: parent.right
                anchors.rightMargin: Theme.s
                anchors.verticalCenter: parent.verticalCenter
                iconName: "settings"
                hint: view.actions.hint("settings")
                onClicked: view.actions.run("settings")
            }
        }

        Banner {
            Layout.fillWidth: true
            notices: view.notices
            portal: view.portal
        }

        PrivateBar {
            Layout.fillWidth: true
            visible: view.secret !== null
            leaves: view.status.leaves
            actions: view.actions
        }
        FindBar {
            Layout.fillWidth: true
            finder: view.finder
            actions: view.actions
            onDone: view.focusComposer()
        }

        Item {
            Layout.fillWidth: true
            Layout.fillHeight: true

            ChatList {
                id: list
                objectName: "chatList"
                anchors.fill: parent
                chat: view.chat
                editMeasure: view.editMeasure
                actions: view.actions
                portal: view.portal
                colours: view.colours
                formulas: view.formulas
                pictures: view.chat.pictures
                words: view.words
                finder: view.finder
                onOtherWordsWanted: (x, y, row, offset) => wordMenu.openAt(list, x, y, row, offset)
                delegate: BlockChooser {
                    DelegateChoice {
                        roleValue: "forgotten"
                        ForgottenRow {}
                    }
                    DelegateChoice {
                        roleValue: "editor"
                        EditorRow {}
                    }
                    DelegateChoice {
                        roleValue: "state"
                        StateRow {}
                    }
                    DelegateChoice {
                        roleValue: "actions"
                        ActionsRow {}
                    }
                }
                onLinkActivated: target => view.portal.openLink(target)
                onLinkCopyRequested: target => view.portal.copyLink(target)
                onCopyRequested: text => view.portal.copy(text)
                onSaveRequested: (text, label) => view.saveRequested(text, label)
                quotes: !view.chat.readOnly
                onQuoteRequested: text => {
                    view.chat.quote(text);
                    view.focusComposer();
                }
                onEditingDone: view.focusComposer()
                onPictureOpened: (hashes, names, index) => view.viewer.open(hashes, names, index)
            }
            WordMenu {
                id: wordMenu
                source: view.words
            }
            Fade {
                width: parent.width
                visible: !list.atYBeginning
            }
            Fade {
                anchors.bottom: parent.bottom
                width: parent.width
                visible: !list.atYEnd
                rotation: 180
            }

            EmptyState {
                anchors.fill: parent
                visible: list.count === 0
                chat: view.chat
                page: view.startPage
                models: view.models
                startOffers: view.startOffers
                onModelsRequested: view.actions.run("models")
            }

            IconButton {
                anchors.right: parent.right
                anchors.bottom: parent.bottom
                anchors.margins: Theme.l
                visible: !list.following && !list.atYEnd
                iconName: "arrow-down"
                hint: qsTr("To the newest message")
                onClicked: list.toEnd()

                Rectangle {
                    anchors.fill: parent
                    z: -1
                    radius: width / 2
                    color: Theme.popup
                    border.color: Theme.line
                }
            }
        }

        Loader {
            Layout.fillWidth: true
            Layout.maximumWidth: Theme.columnWidth + 2 * Theme.l
            Layout.alignment: Qt.AlignHCenter
            sourceComponent: view.documents
        }
        Composer {
            id: composer
            Layout.fillWidth: true
            Layout.maximumWidth: Theme.columnWidth + 2 * Theme.l
            Layout.alignment: Qt.AlignHCenter
            chat: view.chat
            measure: view.measure
            actions: view.actions
            prompts: view.prompts
            onEditLastRequested: list.editLast()
            onPictureOpened: index => view.viewer.openAttached(index)
            onScrollRequested: pages => list.scrollTo(list.contentY + pages * (list.height - Theme.xxl))
        }
        StatusLine {
            Layout.fillWidth: true
            Layout.maximumWidth: Theme.columnWidth + 2 * Theme.l
            Layout.alignment: Qt.AlignHCenter
            status: view.status
            actions: view.actions
        }
    }
}
