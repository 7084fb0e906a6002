// One conversation: its header, its messages and the composer.
import QtQuick
import QtQuick.Layouts
import Qt.labs.qmlmodels
import Inglenook

Item {
    id: view

    required property AppModel app
    required property bool narrow
    readonly property ChatController chat: app.chat

    signal sidebarRequested

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
                x: Theme.s
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
                text: view.chat.title
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
                models: view.app.models
                actions: view.app.actions
                onClicked: view.app.actions.run("models")
            }
            IconButton {
                id: settingsButton
                objectName: "settingsButton"
                anchors.right: parent.right
                anchors.rightMargin: Theme.s
                anchors.verticalCenter: parent.verticalCenter
                iconName: "settings"
                hint: view.app.actions.hint("settings")
                onClicked: view.app.actions.run("settings")
            }
        }

        Banner {
            Layout.fillWidth: true
            notices: view.app.notices
            portal: view.app.portal
        }

        Item {
            Layout.fillWidth: true
            Layout.fillHeight: true

            ChatList {
                id: list
                objectName: "chatList"
                anchors.fill: parent
                chat: view.chat
                actions: view.app.actions
                portal: view.app.portal
                colours: view.app.colours
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
                onLinkActivated: target => view.app.portal.openLink(target)
                onLinkCopyRequested: target => view.app.portal.copyLink(target)
                onCopyRequested: text => view.app.portal.copy(text)
                onEditingDone: view.focusComposer()
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
                app: view.app
                onModelsRequested: view.app.actions.run("models")
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

        Composer {
            id: composer
            Layout.fillWidth: true
            Layout.maximumWidth: Theme.columnWidth + 2 * Theme.l
            Layout.alignment: Qt.AlignHCenter
            app: view.app
            onEditLastRequested: list.editLast()
            onScrollRequested: pages => list.scrollTo(list.contentY + pages * (list.height - Theme.xxl))
        }
        StatusLine {
            Layout.fillWidth: true
            Layout.maximumWidth: Theme.columnWidth + 2 * Theme.l
            Layout.alignment: Qt.AlignHCenter
            status: view.app.status
        }
    }
}
