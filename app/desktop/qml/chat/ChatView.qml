// One conversation: its header, its messages and the composer.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
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

            ListView {
                id: list

                /// The view follows the stream until the person scrolls up.
                property bool following: true
                property real lastContentY: 0

                function followEnd() {
                    if (following)
                        positionViewAtEnd();
                }

                function scrollTo(y: real) {
                    const end = originY + contentHeight - height;
                    contentY = Math.max(originY, Math.min(end, y));
                    following = contentY >= end - 1;
                }

                function editLast() {
                    const item = itemAtIndex(count - 2) as MessageItem;
                    if (item && item.isUser && !item.busy)
                        item.editing = true;
                }
                /// Where Tab goes must be seen.
                function showFocus(item: Item) {
                    if (!(item instanceof T.AbstractButton) || !item.visualFocus)
                        return;
                    let ancestor = item.parent;
                    while (ancestor && ancestor !== contentItem)
                        ancestor = ancestor.parent;
                    if (!ancestor)
                        return;
                    const top = item.mapToItem(contentItem, 0, 0).y;
                    if (top < contentY || top + item.height > contentY + height)
                        scrollTo(top - height / 2);
                }

                anchors.fill: parent
                clip: true
                model: view.chat.messages
                spacing: Theme.m
                cacheBuffer: 800
                boundsBehavior: Flickable.StopAtBounds
                reuseItems: false
                Accessible.role: Accessible.List
                Accessible.name: qsTr("Messages")
                T.ScrollBar.vertical: ScrollThumb {
                    id: scrollBar
                }
                header: Item {
                    height: Theme.l
                }
                footer: Item {
                    height: Theme.xl
                }
                delegate: MessageItem {
                    app: view.app
                    width: ListView.view.width
                    last: index === list.count - 1
                    onEditingDone: view.focusComposer()
                }
                onContentHeightChanged: followLater.start()
                onHeightChanged: followLater.start()
                onContentYChanged: {
                    // Any step up by hand lets go of the end; reaching it by hand takes hold again.
                    if (moving || scrollBar.pressed)
                        following = contentY >= lastContentY && atYEnd;
                    lastContentY = contentY;
                }
            }

            // Once per event loop, after the list has laid out what changed.
            Timer {
                id: followLater
                interval: 0
                onTriggered: list.followEnd()
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
                onClicked: {
                    list.following = true;
                    list.positionViewAtEnd();
                }

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

    Connections {
        target: view.Window.window
        function onActiveFocusItemChanged() {
            list.showFocus(view.Window.activeFocusItem);
        }
    }
    Connections {
        target: view.chat
        function onConversationChanged() {
            list.following = true;
            followLater.start();
        }
        function onSent() {
            list.following = true;
            followLater.start();
        }
    }
}
